"""Missing coverage: uncovered requirements as sentences."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from raddle.criteria.base import Criterion
from raddle.criteria.sentences import Sentences
from raddle.pruning_facts import PruningFacts
from raddle.report.coverage import Row, criterion_of
from raddle.report.files import ELSEWHERE
from raddle.report.numbers import total_text
from raddle.requirement import Requirement
from raddle.static_model import StaticModel
from raddle.store.contents import Contents
from raddle.tally import ESTIMATED, EXACT, Key
from raddle.wording import count

LIMIT = 50  # default number of uncovered requirements to list
# Maximum number of requirements to enumerate when listing the missing ones. Enumerating that many takes a few seconds.
MAX_ENUMERATED = 1_000_000
MAX_REASONS = 8  # maximum number of reasons for infeasibility to list


@dataclass(frozen=True, slots=True)
class Gap:
    """One uncovered requirement."""

    criterion: str
    key: Key
    file: str
    line: int
    sentence: str
    columns: tuple[int, ...] = ()  # columns of the requirement's sites, in key order; several sites can be on one line

    def as_json(self) -> dict[str, Any]:
        """Return the gap as JSON values."""
        return {
            "criterion": self.criterion,
            "file": self.file,
            "line": self.line,
            "sentence": self.sentence,
            "key": self.key,
            "columns": list(self.columns),
        }


@dataclass(frozen=True, slots=True)
class Missing:
    """The uncovered requirements of one criterion."""

    criterion: str
    gaps: tuple[Gap, ...] = ()  # sorted by file and line
    more: int = 0  # number of gaps that are not listed
    remarks: tuple[str, ...] = ()  # why the list is empty or incomplete, and what to do about it


def missing(
    contents: Contents, row: Row, *, limit: int = LIMIT, criteria: Mapping[str, Criterion] | None = None
) -> Missing:
    """Return the first `limit` gaps of a criterion, sorted by file and line."""
    criterion = criterion_of(row.name, contents, criteria)
    keys = criterion.requirements(contents.model_for(criterion.name), contents.facts) if criterion is not None else None
    if keys is None or criterion is None:
        return Missing(
            row.name, remarks=_exhausted_remarks(row) if row.total.kind == EXACT else (_unlistable_remark(row),)
        )
    possible = 0
    covered = contents.tally.covered.get(row.name, {})
    uncovered = []
    for possible, key in enumerate(islice(keys, MAX_ENUMERATED), start=1):
        if key not in covered:
            site = contents.sites.get(criterion.home(key))
            file, line = (site.file, site.line) if site is not None else (ELSEWHERE, 0)
            uncovered.append((file == ELSEWHERE, file, line, possible, key))
    listed = heapq.nsmallest(limit, uncovered, key=lambda gap: gap[:4])
    sentences = Sentences(criterion, contents.sites, among=chain(covered, (key for *_, key in uncovered)))
    if row.total.kind == EXACT:
        never = [sentences.explain(key) for *_, key in listed]
        return Missing(row.name, remarks=_exhausted_remarks(row, never, len(uncovered)))
    guessed = _guessed(contents.model_for(row.name))
    gaps = []
    for _, file, line, _, key in listed:
        sites = Requirement(criterion.shape, key).sites
        sentence = f"not covered yet: {sentences.explain(key)}{guess_remark(sites, guessed)}"
        columns = tuple(contents.sites[number].column + 1 for number in sites if number in contents.sites)
        gaps.append(Gap(row.name, key, file, line, sentence, columns))
    remarks = _remarks(row, possible, len(uncovered))
    if possible < MAX_ENUMERATED:
        remarks += _infeasible_remarks(row, criterion, contents, possible)
    return Missing(row.name, tuple(gaps), len(uncovered) - len(gaps), remarks)


def _guessed(model: StaticModel) -> dict[int, str]:
    """Map each site with a guessed receiver to the attribute that it accesses."""
    return {site: name for (_, name), accesses in model.variables.items() for site in accesses.guessed}


def guess_remark(sites: Iterable[int], guessed: Mapping[int, str]) -> str:
    """Return the remark to append to a requirement's sentence if it contains a guessed variable, else "".

    >>> guess_remark([70007, 70008], {70008: "n"}), guess_remark([70007, 70008], {})
    (' (guess: the source does not show which class `n` belongs to)', '')
    """
    names = sorted({guessed[site] for site in sites if site in guessed})
    if not names:
        return ""
    belong = "belongs" if len(names) == 1 else "belong"
    return f" (guess: the source does not show which class {' and '.join(f'`{name}`' for name in names)} {belong} to)"


def _exhausted_remarks(row: Row, never: Sequence[str] = (), number: int = 0) -> tuple[str, ...]:
    """Return the remarks for an exhausted search, which shows that every uncovered requirement is infeasible."""
    complete = f"nothing is missing from {row.name}: the search was exhausted"
    if not number:
        return (complete,)
    others = (f"  ... and {number - len(never):,} more; raise --limit to see them",) if number > len(never) else ()
    infeasible = (
        f"infeasible: {count(number, 'requirement')} of the static model that no execution of the scenario can cover"
    )
    return (complete, infeasible, *(f"  {clause}" for clause in never), *others)


def _remarks(row: Row, possible: int, uncovered: int) -> tuple[str, ...]:
    if possible == MAX_ENUMERATED:
        return (f"only the first {possible:,} of {total_text(row)} requirements were checked",)
    if not possible and not row.covered:
        return (f"nothing to cover for {row.name}: the measured code has no requirements of this criterion",)
    return () if uncovered else (f"nothing is missing from {row.name}",)


def _infeasible_remarks(row: Row, criterion: Criterion, contents: Contents, possible: int) -> tuple[str, ...]:
    """Return remarks on the requirements that are not listed because they are infeasible, grouped by reason."""
    left_out = row.static_total.number - possible if row.static_total.number is not None else 0
    if left_out <= 0:
        return ()
    remark = f"not listed: {count(left_out, 'requirement')} made infeasible by observed starts, joins or locks"
    every = islice(criterion.requirements(contents.model_for(criterion.name), PruningFacts()) or (), MAX_ENUMERATED)
    reasons = Counter(reason for key in every if (reason := criterion.infeasible(key, contents.facts)) is not None)
    lines = [
        f"  {number:,}: {reason}" for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]
    return (remark, *lines[:MAX_REASONS], *(["  and other reasons"] if len(lines) > MAX_REASONS else []))


def _unlistable_remark(row: Row) -> str:
    """Return a text that explains why the uncovered requirements cannot be listed, and what to do about it."""
    why = f"missing requirements of {row.name} cannot be listed: a requirement is known only once it is covered"
    if row.total.kind == ESTIMATED and row.total.number is not None:
        left = row.total.number - row.covered
        why += f"; an estimated {count(left, 'requirement')} {'is' if left == 1 else 'are'} left"
    return (
        f"{why}. {_progress_clause(row)}: run more executions until coverage stops growing, or exhaust a small "
        "scenario with `raddle explore --scheduler reachability --until exhausted`"
    )


def _progress_clause(row: Row) -> str:
    if row.executions <= 1:
        return "There was only one execution"
    if not row.since_new:
        return f"The last of {row.executions:,} executions still covered something new"
    last = "last" if row.since_new == 1 else f"last {row.since_new:,}"
    return f"The {last} of {row.executions:,} executions covered nothing new"
