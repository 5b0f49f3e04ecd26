"""Witnesses: the calls and observers that show a wrong outcome by themselves.

A class can have several bugs that show in the same calls. If different observers show them, they are different:
a wrong `call_count` does not explain a wrong `return_value`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raddle.generation.testcase import TestCase
from raddle.linearizability.history import OBSERVERS, History, Position
from raddle.linearizability.judgment import Oracle, Violation

PRIVATE = "private attributes"


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """What distinguishes the failures of a known bug from those of others with the same symptom."""

    methods: frozenset[str]  # that the threads of its test call
    shown_by: frozenset[str]  # the witnesses of its first failure


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two failures with these witnesses may be one bug: a method shows both, or one has no witnesses.

    >>> size, total = frozenset({"size"}), frozenset({"total"})
    >>> are_alike(size, size | total), are_alike(size, total), are_alike(size, frozenset())
    (True, False, True)
    """
    return not one or not other or not one.isdisjoint(other)


def witnesses(test: TestCase, violation: Violation, legal: Sequence[History]) -> frozenset[str]:
    """Return the methods whose endings no legal history has; empty if only the combination is wrong.

    Exceptions and hangs have no witnesses, because the violation says which calls they are about.
    """
    history = violation.history
    wrong: list[Position] = []
    if violation.oracle is Oracle.RESULTS:
        wrong += [
            (thread, index)
            for thread, endings in enumerate(history.threads)
            for index, ending in enumerate(endings)
            if not any(ending == other.threads[thread][index] for other in legal)
        ]
    elif violation.oracle is Oracle.STATE:
        # After an order in which a call never ends, there are no observations.
        wrong += [
            (OBSERVERS, index)
            for index, ending in enumerate(history.observed)
            if not any(other.observed and ending == other.observed[index] for other in legal)
        ]
    return frozenset(_name(test, position) for position in wrong)


def _name(test: TestCase, position: Position) -> str:
    row, index = position
    if row != OBSERVERS:
        return str(test.threads[row][index].method)
    return str(test.observers[index].method) if index < len(test.observers) else PRIVATE
