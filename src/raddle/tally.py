"""A tally: the covered requirements, each with the number of executions that covered it and the first of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[Any, ...]  # key of a requirement: site numbers, strings, and nested tuples of these

# How the total number of requirements was determined:
STATIC = "static"  # an upper bound, computed from the source
PRUNED = "pruned"  # an upper bound without the requirements that starts, joins and locks make infeasible
EXACT = "exact"  # the search was exhausted, so every feasible requirement is known
ESTIMATED = "estimated"  # extrapolated from the number of executions that covered each requirement
UNKNOWN = "unknown"
KINDS = (STATIC, PRUNED, EXACT, ESTIMATED, UNKNOWN)


@dataclass(frozen=True, slots=True)
class Total:
    """The total number of requirements of a criterion, and how it was determined.

    >>> str(Total(16, STATIC)), str(Total(None, UNKNOWN)), str(Total(0, STATIC))
    ('16 (static)', 'unknown', 'nothing to cover')
    """

    number: int | None  # None if the total is unknown
    kind: str  # one of KINDS
    low: int | None = None  # lower end of the 95 % confidence interval of an estimate
    high: int | None = None  # upper end of the 95 % confidence interval of an estimate

    def __str__(self) -> str:
        if self.number is None:
            return self.kind
        if self.number == 0:
            return "nothing to cover"
        interval = f", {self.low:,} to {self.high:,}" if self.low is not None and self.high is not None else ""
        return f"{self.number:,} ({self.kind}{interval})"


@dataclass(frozen=True, slots=True)
class Covered:
    """The number of executions that covered a requirement, and the first of these executions."""

    executions: int  # number of executions that covered the requirement
    first: int  # number of the first execution that covered the requirement (its witness)

    def __add__(self, other: Covered) -> Covered:
        return Covered(self.executions + other.executions, min(self.first, other.first))


@dataclass(slots=True)
class Tally:
    """The requirements that executions covered. Tallies can be added with `+`.

    >>> tally = Tally()
    >>> tally.add(1, "sync", [(4711, "visited")])
    >>> tally.add(2, "sync", [(4711, "visited"), (4711, "blocked")])
    >>> tally.covered["sync"][4711, "visited"]
    Covered(executions=2, first=1)
    >>> tally.growth["sync"]
    [(1, 1), (2, 2)]
    """

    executions: int = 0
    covered: dict[str, dict[Key, Covered]] = field(default_factory=dict)  # maps a criterion to its covered requirements
    # Maps a criterion to pairs (execution, number of requirements covered by then).
    growth: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, execution: int, criterion: str, keys: Iterable[Key]) -> None:
        """Record the requirements of a criterion that an execution covered."""
        self.executions = max(self.executions, execution)
        known = self.covered.setdefault(criterion, {})
        before = len(known)
        for key in keys:
            seen = known.get(key)
            known[key] = Covered(1, execution) if seen is None else Covered(seen.executions + 1, seen.first)
        if len(known) > before:
            self.growth.setdefault(criterion, []).append((execution, len(known)))

    @classmethod
    def of(cls, covered: dict[str, dict[Key, Covered]], *, executions: int) -> Tally:
        """Return a tally of these covered requirements, and derive from them how coverage grew."""
        return cls(executions, covered, {name: _growth(keys) for name, keys in covered.items()})

    def since_new(self, criterion: str) -> int:
        """Return the number of executions since coverage of the criterion last grew."""
        growth = self.growth.get(criterion)
        return self.executions - growth[-1][0] if growth else self.executions

    def __add__(self, other: Tally) -> Tally:
        """Merge two tallies, as if the executions of `other` had followed those of this tally."""
        result: dict[str, dict[Key, Covered]] = {}
        for name in [*self.covered, *(name for name in other.covered if name not in self.covered)]:
            mine, theirs = self.covered.get(name, {}), other.covered.get(name, {})
            renumbered = {key: Covered(seen.executions, seen.first + self.executions) for key, seen in theirs.items()}
            merged = dict(mine)
            for key, seen in renumbered.items():
                merged[key] = merged[key] + seen if key in merged else seen
            result[name] = merged
        return Tally.of(result, executions=self.executions + other.executions)

    def counts(self) -> Mapping[str, int]:
        """Return the number of covered requirements of each criterion."""
        return {name: len(keys) for name, keys in self.covered.items()}


def _growth(covered: Mapping[Key, Covered]) -> list[tuple[int, int]]:
    new: dict[int, int] = {}
    for seen in covered.values():
        new[seen.first] = new.get(seen.first, 0) + 1
    growth, total = [], 0
    for execution in sorted(new):
        total += new[execution]
        growth.append((execution, total))
    return growth
