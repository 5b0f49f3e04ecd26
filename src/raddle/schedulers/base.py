"""The interface of a scheduler: the policy that decides which thread runs next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from raddle.entities import Entities
from raddle.step import Step
from raddle.tally import Key


class Alternative(Protocol):
    """One of several possible outcomes of a pending operation, such as receiving a particular message or timing out."""

    @property
    def label(self) -> str:
        """The outcome's name in schedules, such as "from R2"; the same in all executions with the same prefix."""


class TimedWait(Protocol):
    """The timed wait of a thread."""

    @property
    def in_time(self) -> Callable[[], bool]:
        """Returns whether the wait can end without its timeout."""


class Thread(Protocol):
    """A thread, as seen by a scheduler. It performs its pending operation as soon as it is chosen."""

    index: int  # position in the order of creation
    label: str
    kind: str
    target: object
    name: str
    site: int
    # None if the operation has only one outcome. Otherwise a function that returns the currently possible outcomes,
    # always in the same order; the thread is enabled if at least one is possible.
    alternatives: Callable[[], Sequence[Alternative]] | None
    timer: TimedWait | None  # the timed wait that the thread performs; None for other operations
    done: bool  # True if the thread has ended

    @property
    def awaited(self) -> Thread | None:
        """The thread that must act before the pending operation becomes possible; None if any of several could act."""


class SearchProgress(NamedTuple):
    """The state of a scheduler's search through the schedules of a scenario."""

    bound: str = ""  # description of the bound that excluded schedules; "" if none were excluded
    difference: str | None = None  # where a repeated execution differed from the first one
    every_order: bool | None = None  # True if every partial order has been run; None if orders are not enumerated
    every_interleaving: bool = True  # True if every interleaving of each partial order has been run


NO_PROGRESS = SearchProgress()


class Targets(Protocol):
    """The uncovered requirements that a scheduler tries to cover; see `raddle.guide.targets`."""

    share: tuple[int, int]  # the part of the candidate orders to simulate: (index, number of parts)

    @property
    def empty(self) -> bool:
        """Whether there is nothing left to try."""

    def remember(self, covered: Mapping[str, Iterable[Key]], memory: Any) -> None:
        """Restore the coverage and the attempts of earlier units."""

    def memory(self) -> Any:
        """Return the attempts so far, for a later unit."""


class Scheduler(ABC):
    """Decides which thread runs next.

    For each execution, `begin` is called once, `choose` any number of times, and `end` once. Random decisions depend
    only on the seed and the number of the execution, so any execution can be repeated without running the earlier ones.
    """

    complete: bool = False  # True if a finished search counts as exhaustive
    follows: bool = False  # True if `choose` is called at every operation and `watch` returns a listener
    kinds: tuple[str, ...] = ()  # kinds of resource whose releases must be separate operations, if `follows` is true
    targets: Targets | None = None  # requirements that a guided scheduler tries to cover
    members: tuple[str, ...] = ()  # names of the schedulers that take turns, if there are several

    def begin(self, number: int, space: int) -> bool:
        """Begin the execution with this number; return False if no schedule is left to try.

        `space` is the version number of the schedule space. It changes when scheduling points are added.
        """
        return True

    @abstractmethod
    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        """Choose one of the enabled threads, which are sorted by index; `current` is the thread that ran last.

        By default, this is called only if at least two threads are enabled (see `follows` and `sees_forced_steps`). If
        `current` is blocked, it is not in `enabled`. If the thread that ran last has ended, `current` is None.
        """

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        """Choose an outcome for a thread's operation; return its index.

        Called only if several outcomes are possible: right after the thread has been chosen, or when no other thread is
        enabled.
        """
        return 0

    def end(self) -> None:  # noqa: B027 -- most schedulers have nothing to do here
        """End the execution."""

    def memory(self) -> object:
        """Return the state that `choose` leaves for `end`; needed if the execution runs in another process."""
        return None

    def remember(self, memory: object) -> None:  # noqa: B027 -- most schedulers have nothing to remember
        """Restore the state that `memory` returned in the other process."""

    def chooser(self) -> Callable[[Any, Any], Any]:
        """Return the function that makes the decisions in this execution.

        A wrapper may return its inner scheduler's function.
        """
        return self.choose

    @property
    def is_fair(self) -> bool:
        """Whether the engine may force a switch after many consecutive steps of one thread."""
        return True

    @property
    def sees_forced_steps(self) -> bool:
        """Whether `choose` is also called when only one thread is enabled."""
        return False

    def watch(self, calculus: Any, visible: Container[str], *, coarse: bool) -> Any:
        """Return the listener for the execution that is about to begin.

        `calculus` is the calculus of the world (see `raddle.schedulers.calculus`). `visible` contains the kinds of
        resource that threads observe without blocking. If `coarse` is true, a thread may perform several accesses
        between two scheduling points.
        """
        raise NotImplementedError(f"{type(self).__name__} does not follow executions")

    def progress(self) -> SearchProgress:
        """Return the progress of the search."""
        return NO_PROGRESS

    def planned(self) -> int:
        """Return the number of further executions that are known to be needed."""
        return 0

    def require_all_interleavings(self) -> None:  # noqa: B027 -- matters only to a search over partial orders
        """Request all interleavings, because some criteria distinguish interleavings of the same partial order."""

    def member_for(self, number: int) -> str:
        """Return the name of the member scheduler that controls the execution with this number."""
        return ""

    def learn(  # noqa: B027 -- most schedulers do not learn
        self, steps: Sequence[Step], entities: Entities, covered: Mapping[str, frozenset[Key]], *, early: frozenset[int]
    ) -> None:
        """Learn from the steps of the last execution and the requirements that it covered."""
