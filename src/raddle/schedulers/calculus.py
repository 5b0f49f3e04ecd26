"""The calculus: the interface through which reachability testing learns about the operations of a world.

A world defines the accesses of each operation, which accesses conflict, what an operation needs in order to be enabled,
and which other operations can meet that need. Everything else (the partial order, its races, the unexplored prefixes)
is the same for threads, for processes that exchange messages and for tasks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from raddle.schedulers.base import Alternative, Thread
from raddle.schedulers.dependence import Operation

if TYPE_CHECKING:
    from raddle.schedulers.operation_log import Log

Level = Callable[[Any], tuple[int, ...]]  # reads the current level of a resource, such as a semaphore's counter
Access = tuple[object, str, int]  # the object, the name of the variable in it, and the access mode


# The accesses of a pending operation, its need and detail (see `Operation`), the resource that it uses, and a function
# that reads the level of that resource. This is a plain tuple, because one is created for every operation.
Touched: TypeAlias = tuple[list[Access], int, Any, Any, "Level | None"]
Describe: TypeAlias = Callable[[Any, Any], Touched]  # takes a participant and the target of its pending operation


class Reader(ABC):
    """Describes the operations of one execution while it runs."""

    @abstractmethod
    def touched(self, participant: Any, alternative: Alternative | None) -> Touched | None:
        """Describe a pending operation; return None if its accesses are known only after the step."""

    def options(self, participant: Thread) -> Sequence[Alternative]:
        """Return every alternative of a pending operation that some interleaving makes possible.

        By default, these are the alternatives that are possible now, which is enough if all are possible from the
        start.
        """
        return () if participant.alternatives is None else participant.alternatives()

    def does(self, participant: Any, mode: int, resource: Any, level: tuple[int, ...] | None) -> bool:
        """Record the use of a resource. Return whether this invalidates the descriptions of pending operations.

        `mode` is the mode of the operation's first access, and `level` is the level of `resource` just before the
        operation.
        """
        return False

    def waits(self, participant: Thread, on: object) -> None:
        """Record that a participant starts to wait until `on` is notified."""
        raise NotImplementedError("this world has no notifications")

    def woken(self, on: Any) -> Sequence[str]:
        """Return the labels of the participants that were woken when `on` was last notified."""
        raise NotImplementedError("this world has no notifications")


class Past(Protocol):
    """The partial order computed so far. A set of operations is an integer with one bit per operation."""

    @property
    def before(self) -> Sequence[int]:
        """For each operation, by number: the set that contains it and all operations that happen before it."""

    @property
    def reached(self) -> Mapping[str, int]:
        """For each participant, the operations that happen before its next operation."""

    @property
    def woken(self) -> Mapping[str, int]:
        """For each woken participant, the operations that happen before its wake-up."""


class Supplies(ABC):
    """Determines which operations of one execution enable which others."""

    @abstractmethod
    def possible(self, operation: Operation, within: int) -> bool:
        """Return whether the operation is enabled once exactly the operations in the set `within` have happened."""

    @abstractmethod
    def enabler(self, operation: Operation, within: int) -> int:
        """Return the number of the operation in the set `within` that enables this one; -1 if none is needed."""

    def enabler_so_far(self, operation: Operation, number: int) -> int:
        """Return the enabling operation among all operations before `number`.

        From one call to the next, `number` never decreases.
        """
        return self.enabler(operation, (1 << number) - 1)

    def certain_predecessors(self, label: str, operation: Operation, number: int, past: Past) -> int:
        """Return the set of operations that must precede this one because nothing else before `number` enables it."""
        return 0

    def never_possible(self, label: str, operation: Operation, number: int, past: Past) -> bool:
        """Return whether an operation pending at `number` could not have been performed at any earlier point."""
        return False


class Calculus(ABC):
    """The dependence rules of one world. A calculus has no state and is pickled together with logs.

    Whether two operations depend on each other follows from their accesses and `conflicts` alone (see
    `raddle.schedulers.dependence`). The partial order groups operations by key and mode, so it never compares two
    operations directly. If a world needs finer distinctions than object and mode, it must choose finer keys.
    """

    conflicts: Sequence[int]  # for each mode, a bit mask of the modes that it does not commute with

    @abstractmethod
    def reader(self, visible: Container[str], *, everything: bool) -> Reader:
        """Return a reader for one execution. If `everything` is true, all operations depend on each other.

        `visible` contains the kinds of resource whose state participants observe without blocking.
        """

    @abstractmethod
    def supplies(self, log: Log) -> Supplies:
        """Return the enabling relation of a logged execution."""
