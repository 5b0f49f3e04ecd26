"""What is missing: uncovered requirements as sentences."""

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

LIMIT = 50  # sentences, unless told otherwise
MAX_ENUMERATED = 1_000_000  # somebody asked for it, and may wait some seconds
MAX_REASONS = 8  # why something is impossible


@dataclass(frozen=True, slots=True)
class Gap:
    """One uncovered requirement."""

    criterion: str
    key: Key
    file: str
    line: int
    sentence: str
    columns: tuple[int, ...] = ()  # of its sites, in the order of the key: several may be on one line

    def as_json(self) -> dict[str, Any]:
        """For machines."""
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
    if keys is None or criterion is None:
        return Missing(row.name, remarks=_all_seen(row) if row.total.kind == EXACT else (_not_known(row),))
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
        return Missing(row.name, remarks=_all_seen(row, never, len(uncovered)))
    guessed = _guessed(contents.model_for(row.name))
    gaps = []
    for _, file, line, _, key in listed:
        sites = Requirement(criterion.shape, key).sites
        sentence = f"not covered yet: {sentences.explain(key)}{whose(sites, guessed)}"
        columns = tuple(contents.sites[number].column + 1 for number in sites if number in contents.sites)
        gaps.append(Gap(row.name, key, file, line, sentence, columns))
    remarks = _remarks(row, possible, len(uncovered))
    if possible < MAX_ENUMERATED:
        remarks += _impossible(row, criterion, contents, possible)
    return Missing(row.name, tuple(gaps), len(uncovered) - len(gaps), remarks)


def _guessed(model: StaticModel) -> dict[int, str]:
    """The sites whose receiver is a guess, and the attribute that they access."""
    return {site: name for (_, name), accesses in model.variables.items() for site in accesses.guessed}


def whose(sites: Iterable[int], guessed: Mapping[int, str]) -> str:
    """Return what is added to the sentence of a requirement whose variable is a guess.

    >>> whose([70007, 70008], {70008: "n"}), whose([70007, 70008], {})
    (' (guessed: the source does not say whose `n` it is)', '')
    """
    names = sorted({guessed[site] for site in sites if site in guessed})
    if not names:
        return ""
    are = "it is" if len(names) == 1 else "they are"
    return f" (guessed: the source does not say whose {' and '.join(f'`{name}`' for name in names)} {are})"


def _all_seen(row: Row, never: Sequence[str] = (), number: int = 0) -> tuple[str, ...]:
    """What was never covered cannot be."""
    said = f"nothing is missing of {row.name}: every execution was seen"
    if not number:
        return (said,)
    others = (f"  ... and {number - len(never):,} more; --limit shows more of them",) if number > len(never) else ()
    infeasible = f"infeasible: {count(number, 'requirement')} of the static model; no execution of the scenario has"
    return (said, infeasible, *(f"  {clause}" for clause in never), *others)


def _remarks(row: Row, possible: int, uncovered: int) -> tuple[str, ...]:
    if possible == MAX_ENUMERATED:
        return (f"only the first {possible:,} of {total_text(row)} requirements were looked at",)
    if not possible and not row.covered:
        return (f"nothing to cover by {row.name}: the measured code has no requirement of it",)
    return () if uncovered else (f"nothing is missing of {row.name}",)


def _impossible(row: Row, criterion: Criterion, contents: Contents, possible: int) -> tuple[str, ...]:
    """What is not listed since no execution can have it, by its reason where the criterion tells."""
    left_out = row.static_total.number - possible if row.static_total.number is not None else 0
    if left_out <= 0:
        return ()
    said = (
        f"not listed: {count(left_out, 'requirement')} that the order of the threads, or their locks, were seen to "
        "make impossible"
    )
    every = islice(criterion.requirements(contents.model_for(criterion.name), PruningFacts()) or (), MAX_ENUMERATED)
    reasons = Counter(reason for key in every if (reason := criterion.infeasible(key, contents.facts)) is not None)
    told = [
        f"  {number:,}: {reason}" for reason, number in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]
    return (said, *told[:MAX_REASONS], *(["  and others"] if len(told) > MAX_REASONS else []))


def _not_known(row: Row) -> str:
    """Why nothing can be listed, and what can be done about it."""
    why = f"what is missing of {row.name} cannot be listed: its requirements are only known once they are covered"
    if row.total.kind == ESTIMATED and row.total.number is not None:
        left = row.total.number - row.covered
        why += f"; by estimate {count(left, 'requirement') if left else 'none'} {'are' if left > 1 else 'is'} left"
    return (
        f"{why}. {_so_far(row)}: run more until nothing new comes for long, or exhaust a small scenario with "
        "`raddle explore --scheduler reachability --until exhausted`"
    )


def _so_far(row: Row) -> str:
    if row.executions <= 1:
        return "There was one execution only"
    if not row.since_new:
        return f"The last of {row.executions:,} executions still brought something new"
    return f"Nothing new came in the last {row.since_new:,} of {row.executions:,} executions"
