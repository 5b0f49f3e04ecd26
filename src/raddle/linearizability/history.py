"""Histories: how the calls of one execution ended, and what was observed afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

OBSERVERS = -1  # the index that stands for the observers instead of a thread
Position = tuple[int, int]  # index of a thread, or OBSERVERS, and index of a call


class EndingKind(StrEnum):
    """The ways in which a call can end."""

    RETURNED = "returned"
    RAISED = "raised"
    PENDING = "pending"  # the call had not ended when no thread could continue
    NOT_MADE = "not made"  # an earlier call of the same thread is pending


@dataclass(frozen=True, slots=True)
class Ending:
    """How one call ended. Two endings are equal if a caller cannot distinguish them.

    >>> Ending(EndingKind.RAISED, "KeyError")
    Ending(kind='raised', value='KeyError')
    """

    kind: EndingKind
    # The comparable form of the result (see `raddle.linearizability.comparison`), or the qualified name of the
    # exception's class; None if the call has not ended.
    value: Any = None

    def __repr__(self) -> str:
        return f"Ending(kind={str(self.kind)!r}, value={self.value!r})"


NOT_MADE = Ending(EndingKind.NOT_MADE)
PENDING = Ending(EndingKind.PENDING)


@dataclass(frozen=True, slots=True)
class History:
    """The endings of all calls, by thread, and of the observers."""

    threads: tuple[tuple[Ending, ...], ...]
    observed: tuple[Ending, ...] = ()
    broken: tuple[int, ...] = ()  # the indices of the invariants that do not hold
    escaped: tuple[str, ...] = ()  # the names of exceptions that ended threads which the calls have started, sorted

    def ending(self, position: Position) -> Ending:
        """Return the ending of a call or an observer."""
        row, index = position
        return self.observed[index] if row == OBSERVERS else self.threads[row][index]

    @property
    def pending(self) -> frozenset[tuple[int, int]]:
        """The calls that have not ended, each as the index of its thread and its index within the thread."""
        return frozenset(
            (thread, index)
            for thread, endings in enumerate(self.threads)
            for index, ending in enumerate(endings)
            if ending.kind is EndingKind.PENDING
        )
