"""Coverage of the `map` criterion by memory-access pattern: the covered requirements and the total for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raddle.criteria.base import Criterion
from raddle.criteria.memory_access import MemoryAccessPatterns, by_pattern
from raddle.criteria.patterns import COUNTED, Pattern
from raddle.report.coverage import Row, criterion_of, requirements
from raddle.store.contents import Contents
from raddle.tally import ESTIMATED, EXACT, UNKNOWN, Total


@dataclass(frozen=True, slots=True)
class PatternRow:
    """The coverage of one pattern, or of several equivalent patterns that are counted as one."""

    numbers: tuple[int, ...]
    steps: str
    row: Row  # the coverage, in the same form as that of a criterion

    @property
    def name(self) -> str:
        """The pattern numbers as text, for example "13, 15"."""
        return ", ".join(map(str, self.numbers))

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        return {
            "patterns": list(self.numbers),
            "steps": self.steps,
            "covered": self.row.covered,
            "total": self.row.total.number,
            "total_kind": self.row.total.kind,
            "static_total": self.row.static_total.number,
        }


def pattern_rows(
    contents: Contents, row: Row, criteria: Mapping[str, Criterion] | None = None
) -> tuple[PatternRow, ...]:
    """Return a row for each counted pattern of `map`; for other criteria, return no rows.

    >>> from raddle.tally import STATIC
    >>> nothing = Total(0, STATIC)
    >>> [one.name for one in pattern_rows(Contents(), Row("map", 0, nothing, nothing, 0, 0))][-3:]
    ['12', '13, 15, 16, 17', '14']
    """
    criterion = criterion_of(row.name, contents, criteria)
    if not isinstance(criterion, MemoryAccessPatterns):
        return ()
    model, keys = contents.model_for(row.name), contents.tally.covered.get(row.name, {})
    covered, static = by_pattern(keys), criterion.per_pattern(model)
    totals = criterion.totals_per_pattern(model, contents.facts)
    possible = requirements(criterion, contents)
    together = None if possible is None else by_pattern(keys.keys() | possible)
    rows = []
    for pattern in COUNTED:
        number = pattern.number
        total = totals[number]
        if row.total.kind == EXACT:
            total = Total(covered[number], EXACT)
        elif row.total.kind in (ESTIMATED, UNKNOWN):
            total = Total(None, UNKNOWN)
        else:  # raise the total, as `raddle.report.coverage` does for the criterion
            raised = max(totals[number].number or 0, covered[number]) if together is None else together[number]
            total = Total(raised, total.kind)
        one = Row(row.name, covered[number], total, Total(static[number], row.static_total.kind), row.executions, 0)
        rows.append(PatternRow(_alike(pattern), steps_in_short(pattern), one))
    return tuple(rows)


def steps_in_short(pattern: Pattern) -> str:
    """Describe what the threads A and B do in a pattern.

    >>> from raddle.criteria.patterns import PATTERNS
    >>> steps_in_short(PATTERNS[4])
    'A reads x, B writes x, A reads x'
    >>> steps_in_short(PATTERNS[13])  # the first two in either order, and the last two
    'A writes x and B reads y, then B reads x and A writes y'
    """
    steps = [f"{part.thread} {part.kind}s {part.variable}" for part in pattern.parts]
    if len(pattern.orders) > 1:
        return f"{steps[0]} and {steps[1]}, then {steps[2]} and {steps[3]}"
    return ", ".join(steps)


def _alike(pattern: Pattern) -> tuple[int, ...]:
    return tuple(sorted({equivalent.number for equivalent in pattern.equivalents}))
