"""The interface of a scheduler: the policy that decides which thread runs next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from raddle.entities import Entities
from raddle.step import Step
from raddle.tally import Key


class Alternative(Protocol):
    """One of several outcomes that a pending operation can have: which message a receive takes, a timeout."""

    @property
    def label(self) -> str:
        """For schedules, "from R2" or "expires": the same in all executions that began in the same way."""


class Thread(Protocol):
    """A thread as schedulers see it, with the pending operation that it performs as soon as it is chosen."""

    index: int  # in order of creation
    label: str
    kind: str
    target: object
    name: str
    site: int
    # Returns the outcomes that are possible now, always in the same order; None: the operation has one outcome. The
    # thread can go on if at least one is possible.
    alternatives: Callable[[], Sequence[Alternative]] | None
    done: bool  # whether it has ended

    @property
    def awaited(self) -> Thread | None:
        """The thread that has to act before the pending operation can be done; None if it is not one alone."""


class SearchProgress(NamedTuple):
    """How far a scheduler has come through the schedules of a scenario."""

    bound: str = ""  # the bound because of which schedules were left out, in words; "" if none was
    difference: str | None = None  # where a repeated execution differed from the first one
    every_order: bool | None = None  # whether every partial order was run; None: the scheduler does not search by them
    every_interleaving: bool = True  # whether every interleaving of each partial order was run


NO_PROGRESS = SearchProgress()


class Targets(Protocol):
    """Uncovered requirements that a scheduler aims at; see `raddle.guide.targets`."""

    share: tuple[int, int]  # the part of all predictable orders that belongs to this unit, and the number of parts

    @property
    def empty(self) -> bool:
        """Whether there is nothing left to try."""

    def remember(self, covered: Mapping[str, Iterable[Key]], memory: Any) -> None:
        """Take over what earlier units covered and tried."""

    def memory(self) -> Any:
        """Return what was tried, for a later unit."""


class Scheduler(ABC):
    """Decides which thread runs next.

    An execution is `begin`, any number of `choose`, `end`. Everything random comes from the seed and the number of
    the execution, so any execution can be repeated without those before it.
    """

    complete: bool = False  # whether the scheduler claims, at its end, that no schedule was left out
    follows: bool = False  # whether it is asked at every operation and `watch`es what happens between them
    kinds: tuple[str, ...] = ()  # resources whose release is an operation of its own; only if it follows
    targets: Targets | None = None  # what it aims at, if it does
    members: tuple[str, ...] = ()  # names of the schedulers that take turns, if there are several

    def begin(self, number: int, space: int) -> bool:
        """Begin the execution of that number; return False if no schedule is left to try.

        `space` is a version number: where it differs from the last one, scheduling points were added.
        """
        return True

    @abstractmethod
    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        """Choose one of the enabled threads, given by rising index; `current` was running until now.

        Called only if there are at least two. `current` is not among them if it is blocked, and None if it has ended.
        """

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        """Return the index of the outcome that a thread's operation is to have.

        Called right after the thread was chosen, or if no other could go on, and only if several are possible.
        """
        return 0

    def end(self) -> None:  # noqa: B027 -- most schedulers have nothing to do here
        """End the execution."""

    def memory(self) -> object:
        """Return what `choose` found out and `end` needs, in case the execution ran in another process."""
        return None

    def remember(self, memory: object) -> None:  # noqa: B027 -- most schedulers have nothing to remember
        """Take over what `memory` returned in the other process."""

    def chooser(self) -> Callable[[Any, Any], Any]:
        """Return the callable that decides the execution that has begun; lets a wrapper skip itself."""
        return self.choose

    @property
    def is_fair(self) -> bool:
        """Whether the engine may force a switch after many consecutive steps of one thread."""
        return True

    @property
    def sees_forced_steps(self) -> bool:
        """Whether `choose` is also called where only one thread is enabled."""
        return False

    def watch(self, calculus: Any, visible: Container[str], *, coarse: bool) -> Any:
        """Return the listener for the execution that begins; `coarse`: an operation does more than it says.

        `calculus` is that of the world (see `raddle.schedulers.calculus`).
        """
        raise NotImplementedError(f"{type(self).__name__} does not follow executions")

    def progress(self) -> SearchProgress:
        """Return how far the search has come."""
        return NO_PROGRESS

    def planned(self) -> int:
        """Return how many more executions are known to be needed."""
        return 0

    def require_all_interleavings(self) -> None:  # noqa: B027 -- only matters to a search by partial orders
        """Run every interleaving of each partial order: the criteria can tell them apart."""

    def member_for(self, number: int) -> str:
        """Return which of the `members` decides the execution of that number."""
        return ""

    def learn(  # noqa: B027 -- most schedulers do not learn
        self, steps: Sequence[Step], entities: Entities, covered: Mapping[str, frozenset[Key]], *, early: frozenset[int]
    ) -> None:
        """Learn from the steps of the last execution and the requirements that it covered."""
