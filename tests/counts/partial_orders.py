"""The partial orders of a scenario by brute force: every interleaving, and which of them differ in more than sorting.

Written from the definition and apart from what the reachability search does: operations of two threads depend on
each other if they are about the same thing and at least one of them changes what the other can see or do. An order is
which operations there were, and for each pair that depend on each other which came first.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedulers.exhaustive import Exhaustive
from raddle.schedulers.reachability import Reachability

ACCESSES = ("read", "write", "delete")
NOTHING = ("begin", "sleep", "join")  # nobody can tell when they are done
LOOKS = ("read", "locked", "size", "is-set", "is-alive")


class Step(NamedTuple):
    thread: str
    kind: str
    thing: object
    also: tuple[object, ...] = ()  # classes that a read attribute may come from
    sure: bool = True  # does what it is called: a get that gets something, a release by who holds the lock
    daemon: bool = False  # may be cut off by the end of the others
    more: bool = False  # does more than it says: looks into an argument


def step_of(thread: Any, visible: Container[str]) -> Step:
    step = _step_of(thread)
    return step._replace(more=True) if f"inside {thread.site}" in visible else step


def _step_of(thread: Any) -> Step:
    kind, target = thread.kind, thread.target
    if kind in ACCESSES:
        classes = type(target).__mro__ if kind == "read" else ()
        also = tuple((id(cls), thread.name) for cls in classes)
        return Step(thread.label, kind, (id(target), thread.name), also, daemon=thread.daemon)
    sure = not thread.timer or kind == "wait"  # who comes back from a wait has the lock, told or not
    if kind == "release":
        sure = target.holder is thread
    if kind in ("get", "put") and isinstance(target, queue.Queue):
        waits = thread.ready.__qualname__.split(".")[-1] in ("has_item", "has_room")
        sure &= type(target) is queue.Queue and (waits or (kind == "put" and target.maxsize == 0))
        sure &= not getattr(target, "is_shutdown", False)
    elif kind == "get":
        sure &= thread.ready is not None
    if isinstance(target, queue.Queue):
        target = target.mutex
    elif isinstance(target, threading.Barrier):
        target = target._cond._lock
    elif isinstance(target, threading.Condition):
        target = target._lock
    if kind in ("start", "end"):
        target = getattr(target, "thread", target)
    return Step(thread.label, kind, id(target), (), sure, thread.daemon)


def depend(one: Step, other: Step) -> bool:
    if one.more or other.more:
        return True
    kinds = {one.kind, other.kind}
    for daemon, ending in ((one, other), (other, one)):
        if daemon.daemon and not ending.daemon and ending.kind == "end":
            return True
    if kinds & {"start", "end", "is-alive"}:
        if not kinds <= {"start", "end", "is-alive"} or kinds == {"is-alive"}:
            return False
        return "is-alive" in kinds or one.thing == other.thing
    if kinds & set(NOTHING) or (one.kind == "wait-set" and one.sure) or (other.kind == "wait-set" and other.sure):
        return False
    if kinds <= set(ACCESSES):
        same = one.thing == other.thing or one.thing in other.also or other.thing in one.also
        return same and kinds != {"read"}
    if one.thing != other.thing or kinds <= set(LOOKS):
        return False
    if not (one.sure and other.sure):
        return not kinds <= {*LOOKS, "wait-set"}  # a wait that may be in vain only looks
    # A take needs one give, and its turn among the takes.
    takes, gives = kinds & {"acquire", "wait", "down"}, kinds & {"release", "up"}
    if (takes and gives) or kinds == {"put", "get"}:
        return False
    if "task-done" in kinds:
        return not kinds <= {"task-done", "get", "put", "size"}
    if "join-queue" in kinds:
        return "put" in kinds
    return not ("before-wait" in kinds and kinds <= {"before-wait", "set", "is-set"})


Order = tuple[frozenset[Any], frozenset[Any]]


def order_of(steps: Sequence[Step]) -> Order:
    """Which operations, and which of two that depend on each other came first; the same for the same partial order."""
    seen: Counter[str] = Counter()
    taken: Counter[tuple[str, object]] = Counter()  # items that a thread took and did not yet tell to be done
    names = []
    steps = list(steps)
    for at, step in enumerate(steps):
        taken[step.thread, step.thing] += {"get": 1, "task-done": -1}.get(step.kind, 0)
        if taken[step.thread, step.thing] < 0:
            steps[at] = step._replace(sure=False)  # it may be one too many
        names.append((step.thread, seen[step.thread], step.kind))
        seen[step.thread] += 1
    before = {
        (names[i], names[j])
        for j in range(len(steps))
        for i in range(j)
        if steps[i].thread != steps[j].thread and depend(steps[i], steps[j])
    }
    return frozenset(names), frozenset(before)


class Followed:
    """What both searches tell; each sees every operation, also those that there is no choice about."""

    steps: list[Step]
    kept: list[object]  # ids are names

    def begin(self, number: int, space: int) -> bool:
        self.steps, self.kept = [], []
        return super().begin(number, space)  # type: ignore[misc, no-any-return]

    def watch(self, calculus: object, visible: Container[str], *, coarse: bool) -> Any:
        self.visible = visible
        return super().watch(calculus, visible, coarse=coarse)  # type: ignore[misc]

    def choose(self, enabled: Sequence[Any], current: Any) -> Any:
        chosen = super().choose(enabled, current)  # type: ignore[misc]
        self.steps.append(step_of(chosen, self.visible))
        self.kept.append(chosen.target)
        return chosen


class Visiting(Followed, Reachability):
    """The search to be tested."""


class _Everything(Exhaustive):
    follows = True
    kinds = Reachability.kinds

    def watch(self, calculus: object, visible: object, *, coarse: bool) -> _Everything:
        return self

    def tell(self, *args: object, **kwargs: object) -> None:
        """Brute force need not know."""

    started = waits = notified = time_passes = over = tell


class BruteForce(Followed, _Everything):
    """Every interleaving, of the same operations."""


class Found(NamedTuple):
    orders: Counter[Order]
    outcomes: set[Any]
    search: Any
    complete: bool


@contextmanager
def prepared(
    scenario: Callable[[], object], *, selection: Selection, setup: Callable[[], object] | None = None
) -> Iterator[Session]:
    """A session that has seen the scenario twice."""
    with Session(scenario, Threads(selection).install(), setup=setup, step_limit=5_000) as session:
        session.rehearse()
        session.rehearse()
        yield session


def explore(
    session: Session, search: Any, *, most: int = 100_000, ended: Callable[[Any], object] = lambda outcome: None
) -> Found:
    """All orders that a search comes to, and how often it does; what was done before all points were known is out."""
    orders: Counter[Order] = Counter()
    outcomes: set[Any] = set()
    space = -1
    session.prepare(search)
    for number in range(1, most + 1):
        if session.known_points.version != space:
            space = session.known_points.version
            orders.clear()
            outcomes.clear()
        if not search.begin(number, space):
            return Found(orders, outcomes, search, True)
        outcome = session.run_for(search).outcome
        orders[order_of(getattr(search, "steps", ()))] += 1  # a plain search does not tell
        outcomes.add(outcome.signature)
        ended(outcome)
    return Found(orders, outcomes, search, False)
