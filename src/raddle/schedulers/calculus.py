"""The calculus: the interface through which reachability testing learns about the operations of a world.

A world defines the accesses of each operation, which accesses conflict, what an operation needs to be enabled, and
which operation supplies it. Everything else (the partial order, its races, the unexplored prefixes) is the same for
threads, for processes that exchange messages and for tasks.
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
# that reads the level of that resource. It is a plain tuple because one is created for every operation.
Touched: TypeAlias = tuple[list[Access], int, Any, Any, "Level | None"]
Describe: TypeAlias = Callable[[Any, Any], Touched]  # given the participant and the target of its pending operation


class Reader(ABC):
    """Describes the operations of one execution while it runs."""

    @abstractmethod
    def touched(self, participant: Any, alternative: Alternative | None) -> Touched | None:
        """Describe a pending operation; return None if its accesses are known only after the step."""

    def options(self, participant: Thread) -> Sequence[Alternative]:
        """Return every alternative of a pending operation that is possible in some order of the operations.

        By default, these are the alternatives that are possible now, which is enough if all are possible from the
        start.
        """
        return () if participant.alternatives is None else participant.alternatives()

    def does(self, participant: Any, mode: int, resource: Any, level: tuple[int, ...] | None) -> bool:
        """Record that a resource is used now; return whether descriptions of pending operations become invalid.

        `mode` is the mode of the operation's first access, and `level` the level of `resource` just before.
        """
        return False

    def waits(self, participant: Thread, on: object) -> None:
        """Record that a participant starts to wait for a notification of `on`."""
        raise NotImplementedError("this world has no notifications")

    def woken(self, on: Any) -> Sequence[str]:
        """Return the labels of the participants that the last notification of `on` has woken."""
        raise NotImplementedError("this world has no notifications")


class Past(Protocol):
    """The partial order computed so far. A set of operations is an integer with one bit for each operation."""

    @property
    def before(self) -> Sequence[int]:
        """For each operation, by number, the set of the operation itself and all operations that happen before it."""

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
        """Return whether the operation is enabled after exactly the operations `within`."""

    @abstractmethod
    def enabler(self, operation: Operation, within: int) -> int:
        """Return the operation that enables this one after exactly the operations `within`; -1 if none is needed."""

    def enabler_so_far(self, operation: Operation, number: int) -> int:
        """Return the enabler after all operations before `number`. Successive calls never pass a smaller number."""
        return self.enabler(operation, (1 << number) - 1)

    def certain_predecessors(self, label: str, operation: Operation, number: int, past: Past) -> int:
        """Return the operations that must precede this one, because nothing else before `number` could enable it."""
        return 0

    def never_possible(self, label: str, operation: Operation, number: int, past: Past) -> bool:
        """Return whether an operation not performed before `number` was infeasible at every earlier point as well."""
        return False


class Calculus(ABC):
    """The dependence rules of one world. It has no state and is pickled together with logs.

    Whether two operations depend on each other follows from their accesses and `conflicts` alone (see
    `raddle.schedulers.dependence`). The partial order groups operations by key and mode, so it never compares two
    operations directly. If a world needs finer distinctions than object and mode, it must choose finer keys.
    """

    conflicts: Sequence[int]  # for each mode, a bit mask of the modes that it does not commute with

    @abstractmethod
    def reader(self, visible: Container[str], *, everything: bool) -> Reader:
        """Return a reader for one execution; with `everything`, all operations depend on each other.

        `visible` are the kinds of resource whose state participants observe without blocking.
        """

    @abstractmethod
    def supplies(self, log: Log) -> Supplies:
        """Return the enabling relation of a logged execution."""
