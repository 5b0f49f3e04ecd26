"""Judges a history: which of its endings no order of whole calls has."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from raddle.linearizability.history import OBSERVERS, EndingKind, History, Position


class Oracle(StrEnum):
    """What is compared with the orders of whole calls, from the most to the least certain sign of a bug."""

    EXCEPTIONS = "exceptions"  # the class of an exception that a call raises, or an observer afterwards
    HANGS = "hangs"  # the calls that never end
    RESULTS = "results"  # the results of all calls together
    STATE = "state"  # what the observers see afterwards, together with the results
    INVARIANTS = "invariants"  # the invariants that do not hold afterwards


ALL = tuple(Oracle)
CERTAIN = frozenset({Oracle.EXCEPTIONS, Oracle.HANGS})  # a call that returns cannot violate them


@dataclass(frozen=True, slots=True)
class Violation:
    """A way in which a history differs from all legal ones."""

    oracle: Oracle
    history: History
    # The calls that the violation is about; empty if it is about all calls together.
    calls: tuple[Position, ...] = ()
    escaped: str = ""  # the exception, if it ended a thread that the calls have started

    @property
    def exception(self) -> str:
        """The qualified name of the exception that no order of whole calls raises; "" for other violations."""
        if self.oracle is not Oracle.EXCEPTIONS or self.escaped:
            return self.escaped
        return str(self.history.ending(self.calls[0]).value)

    @property
    def is_observed(self) -> bool:
        """Whether the violation is about an observer rather than a call of a thread."""
        return any(row == OBSERVERS for row, _ in self.calls)

    def is_like(self, other: Violation) -> bool:
        """Return whether the other violation is about the same oracle, calls and exception."""
        return (self.oracle, self.calls, self.exception) == (other.oracle, other.calls, other.exception)

    @property
    def is_in_own_thread(self) -> bool:
        """Whether an exception ended a thread that the calls have started."""
        return bool(self.escaped)


def is_always_legal(history: History, oracles: Set[Oracle]) -> bool:
    """Return whether a history is legal whatever the orders of whole calls give.

    >>> from raddle.linearizability.history import Ending
    >>> history = History(((Ending(EndingKind.RETURNED, 1),),))
    >>> is_always_legal(history, {Oracle.EXCEPTIONS}), is_always_legal(history, {Oracle.RESULTS})
    (True, False)
    """
    endings = (*chain.from_iterable(history.threads), *history.observed)
    returned = all(ending.kind is EndingKind.RETURNED for ending in endings)
    return oracles <= CERTAIN and returned and not history.escaped


def judge(history: History, legal: Sequence[History], oracles: Set[Oracle]) -> Violation | None:
    """Return how a history differs from all legal histories; None if the oracles find no difference."""
    if Oracle.EXCEPTIONS in oracles:
        for thread, endings in enumerate(history.threads):
            for index, ending in enumerate(endings):
                if ending.kind is EndingKind.RAISED and not any(
                    ending == other.threads[thread][index] for other in legal
                ):
                    return Violation(Oracle.EXCEPTIONS, history, ((thread, index),))
        for name in history.escaped:
            if not any(name in other.escaped for other in legal):
                return Violation(Oracle.EXCEPTIONS, history, escaped=name)
        for index, ending in enumerate(history.observed):
            # After an order in which a call never ends, there are no observations.
            if ending.kind is EndingKind.RAISED and not any(
                not other.observed or ending == other.observed[index] for other in legal
            ):
                return Violation(Oracle.EXCEPTIONS, history, ((OBSERVERS, index),))
    if Oracle.HANGS in oracles and history.pending and not any(history.pending == other.pending for other in legal):
        return Violation(Oracle.HANGS, history, tuple(sorted(history.pending)))
    if Oracle.INVARIANTS in oracles and not any(set(history.broken) <= set(other.broken) for other in legal):
        return Violation(Oracle.INVARIANTS, history)
    if Oracle.RESULTS in oracles and not any(history.threads == other.threads for other in legal):
        return Violation(Oracle.RESULTS, history)
    if Oracle.STATE in oracles and not any(
        (history.threads, history.observed) == (other.threads, other.observed) for other in legal
    ):
        return Violation(Oracle.STATE, history)
    return None
