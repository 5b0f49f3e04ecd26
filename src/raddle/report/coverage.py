"""How much was covered: for each criterion what was, out of how many, and how that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from raddle.criteria import NAMES, criterion_class
from raddle.criteria.base import Criterion
from raddle.store.contents import Contents, contents_of
from raddle.tally import ESTIMATED, EXACT, UNKNOWN, Key, Total

__all__ = ["Row", "as_json", "contents_of", "requirements", "rows"]

MAX_ENUMERATED = 100_000  # requirements of a criterion that are looked at one by one
MIN_EXECUTIONS = 3  # that an estimate is made from


@dataclass(frozen=True, slots=True)
class Row:
    """One criterion.

    >>> Row("map", 3, Total(16, "static"), Total(16, "static"), executions=1, since_new=0).percent
    18.75
    """

    name: str
    covered: int
    total: Total
    static_total: Total
    executions: int  # that were measured
    since_new: int  # executions after the last that covered anything new
    raised: bool = False  # more was covered than the total should have: it is raised to what is known

    @property
    def percent(self) -> float | None:
        """None where there is no total, or nothing to cover."""
        return 100 * self.covered / self.total.number if self.total.number else None

    @property
    def nothing(self) -> bool:
        """Is there nothing to cover?"""
        return self.covered == 0 and self.total.number == 0


def rows(
    contents: Contents, *, names: Iterable[str] | None = None, criteria: Mapping[str, Criterion] | None = None
) -> list[Row]:
    """What was covered of the criteria named, or of all that were measured; `criteria` are others than raddle's."""
    chosen = in_order(contents.criteria) if names is None else names
    return [_row(name, criterion_of(name, contents, criteria), contents) for name in chosen]


def as_json(row: Row) -> dict[str, Any]:
    """For machines."""
    return {
        "covered": row.covered,
        "total": row.total.number,
        "total_kind": row.total.kind,
        "static_total": row.static_total.number,
        "percent": None if row.percent is None else round(row.percent, 4),
        "low": row.total.low,
        "high": row.total.high,
        "raised": row.raised,
        "executions": row.executions,
        "since_new": row.since_new,
    }


def requirements(criterion: Criterion | None, contents: Contents, *, most: int = MAX_ENUMERATED) -> list[Key] | None:
    """All that could be covered, in the criterion's order; None where they cannot be known, or are too many."""
    if criterion is None:
        return None
    total = criterion.total(contents.model_for(criterion.name), contents.facts)
    if total.number is not None and total.number > most:
        return None
    keys = criterion.requirements(contents.model_for(criterion.name), contents.facts)
    listed = None if keys is None else list(islice(keys, most + 1))
    return None if listed is None or len(listed) > most else listed


def criterion_of(name: str, contents: Contents, criteria: Mapping[str, Criterion] | None = None) -> Criterion | None:
    """A criterion that knows what its total is made from; None where this raddle does not know it at all."""
    if criteria is not None and name in criteria:
        return criteria[name]
    if name not in NAMES:
        return None
    criterion = criterion_class(name)()
    if name in contents.extras:
        criterion.restore(contents.extras[name])
    criterion.static_total(contents.model_for(name))  # some note from the model where their requirements are at home
    return criterion


def in_order(names: Iterable[str]) -> list[str]:
    """As `raddle criteria` lists them, unknown ones at the end.

    >>> in_order(["sync", "zebra", "map"])
    ['map', 'sync', 'zebra']
    """
    places = {name: place for place, name in enumerate(NAMES)}
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))


def _row(name: str, criterion: Criterion | None, contents: Contents) -> Row:
    covered = contents.tally.covered.get(name, {})
    static = Total(None, UNKNOWN) if criterion is None else criterion.static_total(contents.model_for(name))
    row = Row(name, len(covered), static, static, contents.executions(name), contents.since_new(name))
    if name in contents.exact:
        return replace(row, total=Total(len(covered), EXACT))
    total = _total(name, criterion, contents)
    if not row.executions and not total.number:  # what there is to cover is known from the modules that were come to
        total = Total(None, UNKNOWN)
    if total.number is None or total.kind == ESTIMATED:
        return replace(row, total=total)
    possible = requirements(criterion, contents)
    number = len(covered.keys() | possible) if possible is not None else max(total.number, len(covered))
    # With a guess in the static model, something can be covered that is not in it. Then there is so much more.
    return replace(row, total=replace(total, number=number), raised=number > total.number)


def _total(name: str, criterion: Criterion | None, contents: Contents) -> Total:
    """By the model or the accesses seen; where these do not tell, by how often requirements were covered."""
    counts = [seen.executions for seen in contents.tally.covered.get(name, {}).values()]
    if criterion is not None:
        total = criterion.total(contents.model_for(criterion.name), contents.facts)
        if total.number or (total.number == 0 and not counts):  # 0 although some were covered: no model at all
            return total
    executions = contents.executions(name)
    if executions < MIN_EXECUTIONS:
        return Total(None, UNKNOWN)
    from raddle.analysis.richness import estimate

    return estimate([min(count, executions) for count in counts], executions)
