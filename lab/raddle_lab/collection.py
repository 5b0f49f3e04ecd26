"""A collection: the requirements that each of many executions covered, as arrays of numbers.

The requirements of a criterion are numbered in the order in which they are first covered. Each execution is stored as
an array of these numbers, so statistics can be computed with array operations. Every execution is measured once, and
series are drawn from the collection, as in section 5.2 of Křena, Letko and Vojnar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raddle.tally import Key

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The covered requirements of one criterion, for each execution."""

    executions: tuple[Numbers, ...]
    distinct: int  # number of requirements covered by any execution


@dataclass(frozen=True, slots=True)
class Collection:
    """The outcome of each execution, and its covered requirements for each criterion."""

    coverage: Mapping[str, Coverage]
    outcomes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def error_ratio(self) -> float:
        """The share of executions that failed."""
        return sum(outcome != "passed" for outcome in self.outcomes) / max(1, len(self))


class Collector:
    """Builds a collection, numbering requirements in the order in which they are first covered.

    >>> collector = Collector(["sync"])
    >>> collector.add("passed", {"sync": {(70001, "visited")}})
    >>> collector.add("deadlock", {"sync": {(70001, "visited"), (70002, "visited")}})
    >>> collection = collector.collection()
    >>> [covered.tolist() for covered in collection.coverage["sync"].executions], collection.error_ratio
    ([[0], [0, 1]], 0.5)
    """

    def __init__(self, criteria: Sequence[str]) -> None:
        self._numbers: dict[str, dict[Key, int]] = {name: {} for name in criteria}
        self._executions: dict[str, list[Numbers]] = {name: [] for name in criteria}
        self._outcomes: list[str] = []

    def add(self, outcome: str, covered: Mapping[str, Iterable[Key]]) -> None:
        """Add an execution with its outcome and the requirements that it covered."""
        self._outcomes.append(outcome)
        for name, numbers in self._numbers.items():
            found = [numbers.setdefault(key, len(numbers)) for key in covered[name]]
            self._executions[name].append(np.sort(np.array(found, dtype=np.int32)))

    def collection(self) -> Collection:
        """Return a collection of the executions added so far."""
        coverage = {
            name: Coverage(tuple(self._executions[name]), len(numbers)) for name, numbers in self._numbers.items()
        }
        return Collection(coverage, tuple(self._outcomes))
