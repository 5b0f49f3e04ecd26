"""What reachability testing has to know of a world: the interface that a world implements.

A world says which accesses an operation consists of, which of them conflict, what an operation needs to be enabled
and which operation supplies that. Everything else (the partial order, its races, what is left to explore) is the same
for threads, for processes that exchange messages and for tasks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from raddle.schedulers.base import Alternative, Thread
from raddle.schedulers.dependence import Operation

if TYPE_CHECKING:
    from raddle.schedulers.operation_log import Log

Level = Callable[[Any], tuple[int, ...]]  # reads how much there is of a resource
Access = tuple[object, str, int]  # the object, the name of the variable in it, the mode


# What a pending operation touches; its need and the detail that goes with it, see `Operation`; the resource that it
# uses, and how to read its level. A plain tuple, as one is made for every operation.
Touched: TypeAlias = tuple[list[Access], int, Any, Any, "Level | None"]
Describe: TypeAlias = Callable[[Any, Any], Touched]  # given the participant and the target of its pending operation


class Reader(ABC):
    """Reads the operations of one execution while it runs."""

    @abstractmethod
    def touched(self, participant: Any, alternative: Alternative | None) -> Touched | None:
        """Describe a pending operation; None if what it touches is known only after the step."""

    def options(self, participant: Thread) -> Sequence[Alternative]:
        """Return every alternative of a pending operation that another order could make possible.

        By default those that are possible now, which is enough if all are possible from the start.
        """
        return () if participant.alternatives is None else participant.alternatives()

    def does(self, participant: Any, mode: int, resource: Any, level: tuple[int, ...] | None) -> bool:
        """Note that a resource is used now; return whether pending operations may now mean something else.

        `mode` is that of the operation's first access, `level` what there was of `resource` just before.
        """
        return False

    def waits(self, participant: Thread, on: object) -> None:
        """Note that a participant begins to wait to be woken."""
        raise NotImplementedError("no participant of this world waits to be woken")

    def woken(self, on: Any) -> Sequence[str]:
        """Return the labels of the participants that no longer wait, now that some were woken."""
        raise NotImplementedError("no participant of this world waits to be woken")


class Past(Protocol):
    """The partial order as far as it is known: sets of operations are integers, a bit for each."""

    @property
    def before(self) -> Sequence[int]:
        """By number: what comes before it, and itself."""

    @property
    def reached(self) -> Mapping[str, int]:
        """By participant: what comes before its next operation."""

    @property
    def woken(self) -> Mapping[str, int]:
        """By participant that was woken: what comes before that."""


class Supplies(ABC):
    """What the operations of one execution need, and which ones supply it."""

    @abstractmethod
    def possible(self, operation: Operation, within: int) -> bool:
        """Return whether it could be done if exactly the operations `within` had been done."""

    @abstractmethod
    def enabler(self, operation: Operation, within: int) -> int:
        """Return the operation that enables this one if exactly those `within` were done; -1: none is needed."""

    def enabler_so_far(self, operation: Operation, number: int) -> int:
        """Return the same for all operations before that number; successive numbers never get smaller."""
        return self.enabler(operation, (1 << number) - 1)

    def certain(self, label: str, operation: Operation, number: int, past: Past) -> int:
        """Return what comes before an operation as nothing else could have enabled it before that number."""
        return 0

    def hopeless(self, label: str, operation: Operation, number: int, past: Past) -> bool:
        """Return whether an operation that was not done by then could not have been done earlier either."""
        return False


class Calculus(ABC):
    """One world's rules; it has no state, and travels with logs from one process to another.

    Which operations depend on each other follows from their accesses and `conflicts` alone (see
    `raddle.schedulers.dependence`). The partial order keeps all operations on a key together by mode, so it never
    compares two operations; a world in which more matters than an object and a mode chooses its keys accordingly.
    """

    conflicts: Sequence[int]  # by mode: a bit for each mode that it does not commute with; see `conflict_table`

    @abstractmethod
    def reader(self, visible: Container[str], *, everything: bool) -> Reader:
        """Return a reader for one execution; `everything`: every operation depends on every other.

        `visible` are the kinds of resource whose state somebody looks at without blocking.
        """

    @abstractmethod
    def supplies(self, log: Log) -> Supplies:
        """Return who supplied what in an execution."""
