"""Coverage per criterion: the number of covered requirements, the total, and the kind of total."""

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

MAX_ENUMERATED = 100_000  # maximum number of requirements to enumerate per criterion; larger sets are only counted
MIN_EXECUTIONS = 3  # number of executions needed to estimate a total


@dataclass(frozen=True, slots=True)
class Row:
    """The coverage of one criterion.

    >>> Row("map", 3, Total(16, "static"), Total(16, "static"), executions=1, since_new=0).percent
    18.75
    """

    name: str
    covered: int
    total: Total
    static_total: Total
    executions: int  # number of executions that measured this criterion
    since_new: int  # executions since coverage last grew
    raised: bool = False  # True if more was covered than the model predicted, so the total was raised

    @property
    def percent(self) -> float | None:
        """The percentage covered, or None if the total is unknown or zero."""
        return 100 * self.covered / self.total.number if self.total.number else None

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to cover."""
        return self.covered == 0 and self.total.number == 0


def rows(
    contents: Contents, *, names: Iterable[str] | None = None, criteria: Mapping[str, Criterion] | None = None
) -> list[Row]:
    """Return the coverage of the named criteria, or of all measured criteria.

    `criteria` maps names to criteria that are not built into raddle.
    """
    chosen = in_order(contents.criteria) if names is None else names
    return [_row(name, criterion_of(name, contents, criteria), contents) for name in chosen]


def as_json(row: Row) -> dict[str, Any]:
    """Return the row as JSON values."""
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


def requirements(criterion: Criterion | None, contents: Contents, *, limit: int = MAX_ENUMERATED) -> list[Key] | None:
    """Return all requirements in the criterion's order, or None if they are unknown or there are more than `limit`."""
    if criterion is None:
        return None
    total = criterion.total(contents.model_for(criterion.name), contents.facts)
    if total.number is not None and total.number > limit:
        return None
    keys = criterion.requirements(contents.model_for(criterion.name), contents.facts)
    listed = None if keys is None else list(islice(keys, limit + 1))
    return None if listed is None or len(listed) > limit else listed


def criterion_of(name: str, contents: Contents, criteria: Mapping[str, Criterion] | None = None) -> Criterion | None:
    """Return a criterion that is ready to compute totals, or None if this version of raddle does not have it."""
    if criteria is not None and name in criteria:
        return criteria[name]
    if name not in NAMES:
        return None
    criterion = criterion_class(name)()
    if name in contents.extras:
        criterion.restore(contents.extras[name])
    criterion.static_total(contents.model_for(name))  # lets some criteria record the home site of each requirement
    return criterion


def in_order(names: Iterable[str]) -> list[str]:
    """Return the names in the order of `raddle criteria`, unknown names last.

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
    if not row.executions and not total.number:  # the model is empty because no execution imported any module
        total = Total(None, UNKNOWN)
    if total.number is None or total.kind == ESTIMATED:
        return replace(row, total=total)
    possible = requirements(criterion, contents)
    number = len(covered.keys() | possible) if possible is not None else max(total.number, len(covered))
    # The static model may contain guesses, so an execution can cover a requirement that is not in the model.
    # The total then includes that requirement.
    return replace(row, total=replace(total, number=number), raised=number > total.number)


def _total(name: str, criterion: Criterion | None, contents: Contents) -> Total:
    """Compute the total from the model and the observed accesses, or estimate it from the coverage counts."""
    counts = [seen.executions for seen in contents.tally.covered.get(name, {}).values()]
    if criterion is not None:
        total = criterion.total(contents.model_for(criterion.name), contents.facts)
        # A total of 0 despite covered requirements means that there is no model.
        if total.number or (total.number == 0 and not counts):
            return total
    executions = contents.executions(name)
    if executions < MIN_EXECUTIONS:
        return Total(None, UNKNOWN)
    from raddle.analysis.richness import estimate

    return estimate([min(count, executions) for count in counts], executions)
