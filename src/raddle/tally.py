"""A tally: which requirements of each criterion were covered, how often, and out of how many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[Any, ...]  # of a requirement: numbers of sites, texts, and tuples of those

STATIC = "static"  # more than there are: by a formula
PRUNED = "pruned"  # without those that the order of threads or their locks make impossible
EXACT = "exact"  # every execution was seen
ESTIMATED = "estimated"  # from how often the covered ones were
UNKNOWN = "unknown"
KINDS = (STATIC, PRUNED, EXACT, ESTIMATED, UNKNOWN)


@dataclass(frozen=True, slots=True)
class Total:
    """How many requirements there are, and how that is known.

    >>> str(Total(16, STATIC)), str(Total(None, UNKNOWN)), str(Total(0, STATIC))
    ('16 (static)', 'unknown', 'nothing to cover')
    """

    number: int | None
    kind: str
    low: int | None = None  # of an estimate's 95 % interval
    high: int | None = None

    def __str__(self) -> str:
        if self.number is None:
            return self.kind
        if self.number == 0:
            return "nothing to cover"
        interval = f", {self.low:,} to {self.high:,}" if self.low is not None and self.high is not None else ""
        return f"{self.number:,} ({self.kind}{interval})"


@dataclass(frozen=True, slots=True)
class Covered:
    """One covered requirement."""

    executions: int  # that covered it
    first: int  # the number of the first one: its witness

    def __add__(self, other: Covered) -> Covered:
        return Covered(self.executions + other.executions, min(self.first, other.first))


@dataclass(slots=True)
class Tally:
    """What executions covered; tallies of other executions can be added.

    >>> tally = Tally()
    >>> tally.add(1, "sync", [(4711, "visited")])
    >>> tally.add(2, "sync", [(4711, "visited"), (4711, "blocked")])
    >>> tally.covered["sync"][4711, "visited"]
    Covered(executions=2, first=1)
    >>> tally.growth["sync"]
    [(1, 1), (2, 2)]
    """

    executions: int = 0
    covered: dict[str, dict[Key, Covered]] = field(default_factory=dict)  # by criterion
    growth: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # (execution, covered by then)

    def add(self, execution: int, criterion: str, keys: Iterable[Key]) -> None:
        """An execution covered these."""
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
        """From what is known of each requirement."""
        return cls(executions, covered, {name: _growth(keys) for name, keys in covered.items()})

    def since_new(self, criterion: str) -> int:
        """Executions since the last that covered anything new."""
        growth = self.growth.get(criterion)
        return self.executions - growth[-1][0] if growth else self.executions

    def __add__(self, other: Tally) -> Tally:
        """Both, one after the other."""
        result: dict[str, dict[Key, Covered]] = {}
        for name in [*self.covered, *(name for name in other.covered if name not in self.covered)]:
            mine, theirs = self.covered.get(name, {}), other.covered.get(name, {})
            moved = {key: Covered(seen.executions, seen.first + self.executions) for key, seen in theirs.items()}
            merged = dict(mine)
            for key, seen in moved.items():
                merged[key] = merged[key] + seen if key in merged else seen
            result[name] = merged
        return Tally.of(result, executions=self.executions + other.executions)

    def counts(self) -> Mapping[str, int]:
        """How many requirements of each criterion were covered."""
        return {name: len(keys) for name, keys in self.covered.items()}


def _growth(covered: Mapping[Key, Covered]) -> list[tuple[int, int]]:
    new: dict[int, int] = {}
    for seen in covered.values():
        new[seen.first] = new.get(seen.first, 0) + 1
    growth, sum_ = [], 0
    for execution in sorted(new):
        sum_ += new[execution]
        growth.append((execution, sum_))
    return growth
