"""What is missing: uncovered requirements as sentences."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from raddle.criteria.base import Criterion
from raddle.facts import Facts
from raddle.report.coverage import Row, criterion_of
from raddle.report.files import ELSEWHERE
from raddle.report.numbers import total_text
from raddle.store.contents import Contents
from raddle.tally import ESTIMATED, EXACT, Key

LIMIT = 50  # sentences, unless told otherwise
MOST_ENUMERATED = 1_000_000  # somebody asked for it, and may wait some seconds
MOST_REASONS = 8  # why something is impossible


@dataclass(frozen=True, slots=True)
class Gap:
    """One uncovered requirement."""

    criterion: str
    key: Key
    file: str
    line: int
    sentence: str

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "criterion": self.criterion,
            "file": self.file,
            "line": self.line,
            "sentence": self.sentence,
            "key": self.key,
        }


@dataclass(frozen=True, slots=True)
class Missing:
    """What is missing of one criterion."""

    criterion: str
    gaps: tuple[Gap, ...] = ()  # by file and line
    more: int = 0  # gaps that are not listed
    remarks: tuple[str, ...] = ()  # why there are none, why some are left out, what can be done


def missing(
    contents: Contents, row: Row, *, limit: int = LIMIT, criteria: Mapping[str, Criterion] | None = None
) -> Missing:
    """The first gaps of a criterion, in the order of files and lines."""
    criterion = criterion_of(row.name, contents, criteria)
    keys = criterion.requirements(contents.model_for(criterion.name), contents.facts) if criterion is not None else None
    if row.total.kind == EXACT:
        possible = None if keys is None else sum(1 for _ in islice(keys, MOST_ENUMERATED))
        return Missing(row.name, remarks=_all_seen(row, possible))
    if keys is None or criterion is None:
        return Missing(row.name, remarks=(_not_known(row),))
    possible = 0
    covered = contents.tally.covered.get(row.name, {})
    uncovered = []
    for possible, key in enumerate(islice(keys, MOST_ENUMERATED), start=1):
        if key not in covered:
            site = contents.sites.get(criterion.home(key))
            file, line = (site.file, site.line) if site is not None else (ELSEWHERE, 0)
            uncovered.append((file == ELSEWHERE, file, line, possible, key))
    gaps = tuple(
        Gap(row.name, key, file, line, _sentence(criterion, key, contents))
        for _, file, line, _, key in heapq.nsmallest(limit, uncovered, key=lambda gap: gap[:4])
    )
    remarks = _remarks(row, possible, len(uncovered))
    if possible < MOST_ENUMERATED:
        remarks += _impossible(row, criterion, contents, possible)
    return Missing(row.name, gaps, len(uncovered) - len(gaps), remarks)


def _sentence(criterion: Criterion, key: Key, contents: Contents) -> str:
    return f"no execution yet had {criterion.explain(key, contents.sites)}"


def _all_seen(row: Row, possible: int | None) -> tuple[str, ...]:
    said = f"nothing is missing of {row.name}: every execution was seen"
    never = possible - row.covered if possible is not None else 0
    return (said, f"{_count(never)} of the static model never happened in any of them") if never > 0 else (said,)


def _remarks(row: Row, possible: int, uncovered: int) -> tuple[str, ...]:
    if possible == MOST_ENUMERATED:
        return (f"only the first {possible:,} of {total_text(row)} requirements were looked at",)
    if not possible and not row.covered:
        return (f"nothing to cover by {row.name}: the measured code has no requirement of it",)
    return () if uncovered else (f"nothing is missing of {row.name}",)


def _impossible(row: Row, criterion: Criterion, contents: Contents, possible: int) -> tuple[str, ...]:
    """What is not listed since no execution can have it, by its reason where the criterion tells."""
    left_out = row.static_total.number - possible if row.static_total.number is not None else 0
    if left_out <= 0:
        return ()
    said = f"not listed: {_count(left_out)} that the order of the threads, or their locks, were seen to make impossible"
    why = getattr(criterion, "infeasible", None)
    if why is None:
        return (said,)
    every = islice(criterion.requirements(contents.model_for(criterion.name), Facts()) or (), MOST_ENUMERATED)
    reasons = Counter(reason for key in every if (reason := why(key, contents.facts)) is not None)
    told = [
        f"  {number:,}: {reason}" for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]
    return (said, *told[:MOST_REASONS], *(["  and others"] if len(told) > MOST_REASONS else []))


def _not_known(row: Row) -> str:
    """Why nothing can be listed, and what can be done about it."""
    why = f"what is missing of {row.name} cannot be listed: its requirements are only known once they are covered"
    if row.total.kind == ESTIMATED and row.total.number is not None:
        left = row.total.number - row.covered
        why += f"; by estimate {_count(left) if left else 'none'} {'are' if left > 1 else 'is'} left"
    return (
        f"{why}. Nothing new came in the last {row.since_new:,} of {row.executions:,} executions: run more until that "
        "number is large, or exhaust a small scenario with `raddle explore --scheduler exhaustive --until exhausted`"
    )


def _count(number: int) -> str:
    return f"{number:,} requirement{'' if number == 1 else 's'}"
