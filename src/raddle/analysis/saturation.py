"""Saturation: whether a search is likely to cover anything new if it continues.

Coverage grows fast at first and slowly later. In between, there are plateaus: periods without new coverage even though
many requirements are still uncovered. The longer a search has run, the longer a period without new coverage must be
before it counts as saturation. A search is saturated if three conditions hold. Coverage last grew in the first half of
all executions. At least `PATIENCE` executions have run since coverage last grew. Only a few executions covered a
requirement that no other execution covered.

The probability that more executions cover anything new is estimated in two ways, and the larger estimate is used. One
estimate is based on the requirements that only one execution covered (Good 1953, Good and Toulmin 1956). The other is
based on the recent rate of new coverage, assuming that coverage grows with the logarithm of time. Both estimates assume
that the search continues as before.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log

from raddle.tally import Tally

MIN_EXECUTIONS = 100  # minimum number for an estimate; fewer executions say little about uncovered requirements
PATIENCE = 200  # minimum number of executions without new coverage
MAX_UNIQUE_SHARE = 0.005  # maximum share of executions that covered a requirement no other execution covered


class Saturation:
    """Detects saturation from the number of requirements that each execution newly covers.

    >>> saturation = Saturation()
    >>> for new in [5, 2, 0, 1] + [0] * 199:
    ...     saturation.add(new)
    >>> saturation.reached
    False
    >>> saturation.add(0); saturation.reached
    True
    """

    def __init__(self) -> None:
        self.executions = 0
        self.last = 0  # number of the last execution that covered something new

    def add(self, new: int) -> None:
        """Add an execution that covered `new` requirements for the first time."""
        self.executions += 1
        if new:
            self.last = self.executions

    @property
    def since(self) -> int:
        """The number of executions since coverage last grew."""
        return self.executions - self.last

    @property
    def reached(self) -> bool:
        return self.since >= max(PATIENCE, self.last)


def saturated(tally: Tally, *, patience: int = PATIENCE) -> bool:
    """Return whether coverage has stopped growing and few executions cover a requirement that no other covers.

    `patience` is the minimum number of executions without new coverage.

    >>> tally = Tally()
    >>> for number in range(1, 9): tally.add(number, "sync", [("a",)])
    >>> saturated(tally, patience=7), saturated(tally, patience=8)
    (True, False)
    """
    last = last_new(tally)
    return tally.executions - last >= max(patience, last) and has_few_unique(tally)


def last_new(tally: Tally) -> int:
    """Return the number of the last execution that covered something new; 0 if none did."""
    return max((seen.first for covered in tally.covered.values() for seen in covered.values()), default=0)


def chance_of_anything_new(tally: Tally, more: int = 1_000) -> float | None:
    """Return the probability that `more` executions cover anything new; None after fewer than `MIN_EXECUTIONS`.

    >>> tally = Tally()
    >>> for number in range(1, 101): tally.add(number, "sync", [("a",)])
    >>> chance_of_anything_new(tally)
    0.0
    >>> tally.add(101, "sync", [("b",)])
    >>> chance_of_anything_new(tally) > 0.9
    True
    """
    executions = tally.executions
    if executions < MIN_EXECUTIONS:
        return None
    unique: set[int] = set()  # executions that covered a requirement that no other execution covered
    discovering: set[int] = set()
    for covered in tally.covered.values():
        for seen in covered.values():
            discovering.add(seen.first)
            if seen.executions == 1:
                unique.add(seen.first)
    expected = max(len(unique) * more / executions, _by_growth(discovering, executions, more))
    return 1 - exp(-expected)


def has_few_unique(tally: Tally) -> bool:
    """Return whether only a few executions cover a requirement that no other execution covers."""
    unique = {seen.first for covered in tally.covered.values() for seen in covered.values() if seen.executions == 1}
    return len(unique) <= MAX_UNIQUE_SHARE * tally.executions


def _by_growth(discovering: Iterable[int], executions: int, more: int) -> float:
    recent = sum(1 for number in discovering if number > executions / 2)
    return recent / log(2) * log((executions + more) / executions)
