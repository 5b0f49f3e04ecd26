"""Interleaving criteria: the access patterns that the explorer looks for.

Atomic-set serializability (Vaziri, Tip, Dolby, POPL 2006) has eleven problematic scenarios. Five concern one variable
and six concern two. They are the patterns 4 to 10 and 12 to 15 of `raddle.criteria.patterns`. Hammer et al. (ICSE 2008)
added three more, the patterns 11, 16 and 17. The atomic set consists of all variables that both calls access, and a
unit of work is an outermost call.
"""

from __future__ import annotations

from dataclasses import dataclass

from raddle.criteria.patterns import PATTERNS, Pattern


@dataclass(frozen=True, slots=True)
class InterleavingCriterion:
    """A set of patterns. Thread A executes the first step of each pattern, thread B the others between A's steps.

    >>> len(ATOMIC_SETS.patterns), len(ATOMIC_SETS_OF_HAMMER.patterns)
    (11, 14)
    """

    name: str
    patterns: tuple[Pattern, ...]


def _of(name: str, *numbers: int) -> InterleavingCriterion:
    return InterleavingCriterion(name, tuple(PATTERNS[number] for number in numbers))


SINGLE_VARIABLE = _of("single-variable", 4, 5, 6, 7, 8)
ATOMIC_SETS = _of("atomic-sets", 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15)
ATOMIC_SETS_OF_HAMMER = _of("atomic-sets-hammer", 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)
