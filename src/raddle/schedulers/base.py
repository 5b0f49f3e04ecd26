"""The interface of a scheduler: the policy that says who runs next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Alternative(Protocol):
    """One of several outcomes that a pending operation can have: which message a receive takes, a timeout."""

    @property
    def label(self) -> str:
        """For schedules, "from R2" or "expires": the same in all executions that began in the same way."""


class Thread(Protocol):
    """What a scheduler sees of a thread. The pending operation is what it does as soon as it is chosen."""

    index: int  # in order of creation
    label: str
    kind: str
    target: object
    name: str
    site: int
    # Returns the outcomes that are possible now, always in the same order; None: the operation has one outcome. The
    # thread can go on if at least one is possible.
    alternatives: Callable[[], Sequence[Alternative]] | None


class Scheduler(Protocol):
    """Who runs next.

    An execution is `begin`, any number of `choose`, `end`. Everything random comes from the seed and the
    number of the execution, so any execution can be had again without those before it.
    """

    complete: bool  # does it claim, at its end, that nothing was left out?

    def begin(self, number: int, space: int) -> bool:
        """The execution of that number begins; False: there is nothing left to try.

        `space` is a version number: where it differs from the last one, scheduling points were added.
        """

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        """One of the threads that can go on, given by rising index; `current` was running until now.

        Asked only where there are at least two. `current` is not among them if it is blocked, and None
        if it has ended.
        """

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        """Return the index of the outcome that a thread's operation is to have.

        Called right after the thread was chosen, or if no other could go on, and only if several are possible.
        """

    def end(self) -> None:
        """The execution is over."""

    def memory(self) -> object:
        """What `end` has to know and `choose` found out, in case the execution ran in another process."""

    def remember(self, memory: object) -> None:
        """Take over what `memory` gave in the other process."""


def chooser(scheduler: Scheduler) -> Callable[[Any, Any], Any]:
    """Whom to ask in the execution that has begun: the scheduler, or whoever it would ask every time."""
    shorter: Callable[[], Callable[[Any, Any], Any]] | None = getattr(scheduler, "chooser", None)
    return scheduler.choose if shorter is None else shorter()


class Stateless:
    """A base for schedulers whose executions have nothing to tell one another."""

    complete = False

    def begin(self, number: int, space: int) -> bool:
        return True

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        return 0

    def end(self) -> None:
        """Nothing to clear up."""

    def memory(self) -> object:
        return None

    def remember(self, memory: object) -> None:
        """Nothing to take over."""
