"""Computes the partial orders of a scenario by brute force, from all its interleavings.

The module follows the definition and shares no code with the reachability search. Operations of two threads depend on
each other if they have the same target and at least one of them affects whether the other can run or what it observes.
A partial order consists of a set of operations and the order of each dependent pair.
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
INDEPENDENT = ("begin", "sleep", "join")  # independent of all operations: no thread can observe when they happen
OBSERVES = ("read", "locked", "size", "is-set", "is-alive")


class Step(NamedTuple):
    thread: str
    kind: str
    target: object  # object id, or (object id, attribute name) for an access
    inherited: tuple[object, ...] = ()  # class attributes that a read may access instead of the target
    certain: bool = True  # True if the operation cannot fail, like a release by the lock's holder
    daemon: bool = False  # True if the operation may never happen because its thread is a daemon
    opaque: bool = False  # True if the operation reads objects other than its target, such as an argument's content


def step_of(thread: Any, visible: Container[str]) -> Step:
    step = _step_of(thread)
    return step._replace(opaque=True) if f"inside {thread.site}" in visible else step


def _step_of(thread: Any) -> Step:
    kind, target = thread.kind, thread.target
    if kind in ACCESSES:
        classes = type(target).__mro__ if kind == "read" else ()
        inherited = tuple((id(cls), thread.name) for cls in classes)
        return Step(thread.label, kind, (id(target), thread.name), inherited, daemon=thread.daemon)
    certain = not thread.timer or kind == "wait"  # a wait always returns with the lock held, whether notified or not
    if kind == "release":
        certain = target.holder is thread
    if kind in ("get", "put") and isinstance(target, queue.Queue):
        waits = thread.ready.__qualname__.split(".")[-1] in ("has_item", "has_room")
        certain &= type(target) is queue.Queue and (waits or (kind == "put" and target.maxsize == 0))
        certain &= not getattr(target, "is_shutdown", False)
    elif kind == "get":
        certain &= thread.ready is not None
    if isinstance(target, queue.Queue):
        target = target.mutex
    elif isinstance(target, threading.Barrier):
        target = target._cond._lock
    elif isinstance(target, threading.Condition):
        target = target._lock
    if kind in ("start", "end"):
        target = getattr(target, "thread", target)
    return Step(thread.label, kind, id(target), (), certain, thread.daemon)


def depend(one: Step, other: Step) -> bool:
    if one.opaque or other.opaque:
        return True
    kinds = {one.kind, other.kind}
    for daemon, ending in ((one, other), (other, one)):
        if daemon.daemon and not ending.daemon and ending.kind == "end":
            return True
    if kinds & {"start", "end", "is-alive"}:
        if not kinds <= {"start", "end", "is-alive"} or kinds == {"is-alive"}:
            return False
        return "is-alive" in kinds or one.target == other.target
    if (
        kinds & set(INDEPENDENT)
        or (one.kind == "wait-set" and one.certain)
        or (other.kind == "wait-set" and other.certain)
    ):
        return False
    if kinds <= set(ACCESSES):
        same = one.target == other.target or one.target in other.inherited or other.target in one.inherited
        return same and kinds != {"read"}
    if one.target != other.target or kinds <= set(OBSERVES):
        return False
    if not (one.certain and other.certain):
        return not kinds <= {*OBSERVES, "wait-set"}  # a wait with a timeout counts as an observation
    # Only the order of the acquires and the order of the releases matter, so an acquire and a release are independent.
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
    """Return the operations and the order of each dependent pair. Equal results mean equal partial orders."""
    seen: Counter[str] = Counter()
    taken: Counter[tuple[str, object]] = Counter()  # number of items that a thread has taken and not marked as done
    names = []
    steps = list(steps)
    for at, step in enumerate(steps):
        taken[step.thread, step.target] += {"get": 1, "task-done": -1}.get(step.kind, 0)
        if taken[step.thread, step.target] < 0:
            steps[at] = step._replace(certain=False)  # `task_done` fails if every item is already marked as done
        names.append((step.thread, seen[step.thread], step.kind))
        seen[step.thread] += 1
    before = {
        (names[i], names[j])
        for j in range(len(steps))
        for i in range(j)
        if steps[i].thread != steps[j].thread and depend(steps[i], steps[j])
    }
    return frozenset(names), frozenset(before)


class StepRecorder:
    """A scheduler mixin that records every step, including steps at which only one thread is enabled."""

    steps: list[Step]
    kept: list[object]  # targets, kept alive so that their ids stay unique

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


class Visiting(StepRecorder, Reachability):
    """The reachability search under test, which also records its steps."""


class _Everything(Exhaustive):
    follows = True
    kinds = Reachability.kinds

    def watch(self, calculus: object, visible: object, *, coarse: bool) -> _Everything:
        return self

    def ignore(self, *args: object, **kwargs: object) -> None:
        """Ignore a notification from the engine, because the brute-force search does not use notifications."""

    started = waits = notified = time_passes = ended = ignore


class BruteForce(StepRecorder, _Everything):
    """A search that runs every interleaving, with the same scheduling points as `Visiting`."""


class Found(NamedTuple):
    orders: Counter[Order]
    outcomes: set[Any]
    search: Any
    complete: bool


@contextmanager
def prepared(
    scenario: Callable[[], object], *, selection: Selection, setup: Callable[[], object] | None = None
) -> Iterator[Session]:
    """Yield a session that has rehearsed the scenario twice."""
    with Session(scenario, Threads(selection).install(), setup=setup, step_limit=5_000) as session:
        session.rehearse()
        session.rehearse()
        yield session


def explore(
    session: Session,
    search: Any,
    *,
    max_executions: int = 100_000,
    ended: Callable[[Any], object] = lambda outcome: None,
) -> Found:
    """Run a search. Return the number of its visits to each partial order, and the outcomes.

    Ignore executions before the last change to the known scheduling points.
    """
    orders: Counter[Order] = Counter()
    outcomes: set[Any] = set()
    space = -1
    session.prepare(search)
    for number in range(1, max_executions + 1):
        if session.known_points.version != space:
            space = session.known_points.version
            orders.clear()
            outcomes.clear()
        if not search.begin(number, space):
            return Found(orders, outcomes, search, True)
        outcome = session.run_for(search).outcome
        orders[order_of(getattr(search, "steps", ()))] += 1  # the plain search records no steps
        outcomes.add(outcome.signature)
        ended(outcome)
    return Found(orders, outcomes, search, False)
