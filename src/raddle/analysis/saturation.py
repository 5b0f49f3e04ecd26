"""Saturation: when has a search seen what it is going to see, and how sure is that?

Coverage grows fast, then slowly, with shoulders on the way: stretches in which nothing new comes although much is left.
A shoulder is passed by waiting in proportion to what it took so far: the search is saturated when the last new
requirement came in the first half of all executions, and at least `PATIENCE` executions ago, and those covered only
once have become rare.

How probable it is that more executions bring anything new is judged in two ways, and the larger counts: from the
requirements that only one execution covered (Good 1953, Good and Toulmin 1956), and from how often something new came
lately, as if that would go on getting rarer only with the logarithm of time. Both suppose that the search goes on as it
did.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log

from raddle.tally import Tally

LEAST = 100  # executions: what a few have all covered says nothing about what they have not
PATIENCE = 200  # executions
RARE = 0.005  # so many executions in all that covered something nobody else did, at most


class Saturation:
    """Told of one execution after the other.

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
        self.last = 0  # the execution that brought something new last

    def add(self, new: int) -> None:
        """An execution covered so many new requirements."""
        self.executions += 1
        if new:
            self.last = self.executions

    @property
    def since(self) -> int:
        """Executions since the last that brought something new."""
        return self.executions - self.last

    @property
    def reached(self) -> bool:
        return self.since >= max(PATIENCE, self.last)


def saturated(tally: Tally, *, patience: int = PATIENCE) -> bool:
    """Return whether a search is saturated, as `Saturation` does, and few executions cover what no other does.

    `patience` is how many executions have to bring nothing new, at least.

    >>> tally = Tally()
    >>> for number in range(1, 9): tally.add(number, "sync", [("a",)])
    >>> saturated(tally, patience=7), saturated(tally, patience=8)
    (True, False)
    """
    last = last_new(tally)
    return tally.executions - last >= max(patience, last) and rare_enough(tally)


def last_new(tally: Tally) -> int:
    """Return the number of the last execution that covered something new; 0 if none did."""
    return max((seen.first for covered in tally.covered.values() for seen in covered.values()), default=0)


def chance_of_anything_new(tally: Tally, more: int = 1_000) -> float | None:
    """How probable it is that so many more executions cover anything new; None if there were too few to say.

    >>> tally = Tally()
    >>> for number in range(1, 101): tally.add(number, "sync", [("a",)])
    >>> chance_of_anything_new(tally)
    0.0
    >>> tally.add(101, "sync", [("b",)])
    >>> chance_of_anything_new(tally) > 0.9
    True
    """
    executions = tally.executions
    if executions < LEAST:
        return None
    alone: set[int] = set()  # executions that covered what no other did
    discovering: set[int] = set()
    for covered in tally.covered.values():
        for seen in covered.values():
            discovering.add(seen.first)
            if seen.executions == 1:
                alone.add(seen.first)
    expected = max(len(alone) * more / executions, _by_growth(discovering, executions, more))
    return 1 - exp(-expected)


def rare_enough(tally: Tally) -> bool:
    """Do only few executions cover what no other does?"""
    alone = {seen.first for covered in tally.covered.values() for seen in covered.values() if seen.executions == 1}
    return len(alone) <= RARE * tally.executions


def _by_growth(discovering: Iterable[int], executions: int, more: int) -> float:
    lately = sum(1 for number in discovering if number > executions / 2)
    return lately / log(2) * log((executions + more) / executions)
