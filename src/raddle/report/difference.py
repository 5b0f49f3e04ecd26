"""Compares the coverage of two data files, requirement by requirement, and lists gains and losses."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from raddle.criteria.base import Criterion
from raddle.criteria.orders import OrderCriterion
from raddle.criteria.sentences import Sentences
from raddle.pruning_facts import PruningFacts
from raddle.report.correspondence import Correspondence
from raddle.report.coverage import Row, criterion_of, in_order, rows
from raddle.report.files import ELSEWHERE
from raddle.report.missing import LIMIT
from raddle.report.stored_findings import stored_findings
from raddle.requirement import UNKNOWN, Requirement
from raddle.site import Site
from raddle.store.contents import Contents
from raddle.tally import Key

FORMAT, VERSION = "raddle-difference", 1
GAINED, LOST, GONE, IMPOSSIBLE = KINDS = ("gained", "lost", "gone", "impossible")
BY_A_LOCK = " is held from step "  # part of the reason given if a lock makes a requirement infeasible
_SENTENCES = {
    GAINED: "newly covered: {}",
    LOST: "no longer covered: {}",
    GONE: "covered before, in code that has been removed: {}",
    IMPOSSIBLE: "covered before, no longer feasible: {}",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One requirement that only one of the data files covers."""

    criterion: str
    what: str  # one of KINDS
    file: str
    line: int
    sentence: str

    def as_json(self) -> dict[str, Any]:
        """Return the change as JSON values."""
        return {"what": self.what, "file": self.file, "line": self.line, "sentence": self.sentence}


@dataclass(frozen=True, slots=True)
class CriterionComparison:
    """The comparison of the coverage of one criterion in two data files."""

    name: str
    before: int  # number of requirements covered in the first data file
    after: int  # number of requirements covered in the second data file
    numbers: Mapping[str, int]  # maps each of KINDS to the number of changes
    changes: tuple[Change, ...]  # up to `limit` changes of each kind, sorted by file and line
    remark: str = ""  # why the criterion is not compared; "" if it is
    rows: tuple[Row, ...] = ()  # coverage with totals, before and after

    @property
    def lost(self) -> bool:
        """Whether any coverage was lost. A criterion that is no longer measured counts as lost coverage."""
        return bool(self.numbers[LOST]) or (self.before > 0 and self.remark == _ONLY_BEFORE)

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        changes = [change.as_json() for change in self.changes]
        counts = {"before": self.before, "after": self.after, **self.numbers}
        totals = {
            when: {"total": row.total.number, "total_kind": row.total.kind}
            for when, row in zip(("before", "after"), self.rows, strict=False)
        }
        return {**counts, "totals": totals, "changes": changes, "remark": self.remark or None}


@dataclass(frozen=True, slots=True)
class Difference:
    """The comparison of two data files: all criteria and the findings."""

    executions: tuple[int, int]  # number of executions before and after
    criteria: tuple[CriterionComparison, ...]
    changed: tuple[str, ...] = ()  # labels of files in both data files whose source differs
    findings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # maps "new" and "no longer" to headlines

    @property
    def lost(self) -> bool:
        """Whether any criterion lost coverage."""
        return any(one.lost for one in self.criteria)

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "executions": {"before": self.executions[0], "after": self.executions[1]},
            "lost": self.lost,
            "changed_files": list(self.changed),
            "criteria": {one.name: one.as_json() for one in self.criteria},
            "findings": {what: list(headlines) for what, headlines in self.findings.items()},
        }


_ONLY_BEFORE = "not compared: no longer measured"
_ONLY_AFTER = "not compared: not measured before"
_ORDERS = "not compared: each requirement is an order of all accesses, and the source has changed"


def difference(
    before: Contents,
    after: Contents,
    *,
    names: Iterable[str] | None = None,
    limit: int = LIMIT,
    criteria: Mapping[str, Criterion] | None = None,
) -> Difference:
    """Compare the coverage and findings of two data files.

    `names` selects criteria, `limit` is the maximum number of changes of each kind to list, and `criteria` maps names
    to criteria that are not built into raddle.

    >>> from raddle.store.contents import Run
    >>> from raddle.tally import Covered, Tally
    >>> def measured(*methods):
    ...     covered = {"method-pairs": {("m.py:C", *pair): Covered(1, 1) for pair in methods}}
    ...     run = Run("", "run m.py", "native", 1, 0, "", frozenset({"method-pairs"}))
    ...     return Contents(runs=(run,), tally=Tally.of(covered, executions=1))
    >>> (one,) = difference(measured(("f", "f")), measured(("f", "g"))).criteria
    >>> [change.sentence for change in one.changes if change.what == "gained"]
    ['newly covered: thread A starts `C.f` while thread B is in `C.g`']
    """
    correspondence = Correspondence(before, after)
    measured = set(before.criteria) | set(after.criteria)
    chosen = in_order(measured) if names is None else names
    compared = [_compared(name, before, after, correspondence, limit, criteria) for name in chosen]
    return Difference(
        executions=(_executions(before), _executions(after)),
        criteria=tuple(compared),
        changed=tuple(sorted(correspondence.changed)),
        findings=_findings(before, after),
    )


def _executions(contents: Contents) -> int:
    return sum(run.executions for run in contents.runs)


def _findings(before: Contents, after: Contents) -> dict[str, tuple[str, ...]]:
    old, new = ({one.fingerprint: one.headline for one in stored_findings(some)} for some in (before, after))
    return {
        "new": tuple(headline for fingerprint, headline in new.items() if fingerprint not in old),
        "no longer": tuple(headline for fingerprint, headline in old.items() if fingerprint not in new),
    }


def _compared(
    name: str,
    before: Contents,
    after: Contents,
    correspondence: Correspondence,
    limit: int,
    criteria: Mapping[str, Criterion] | None,
) -> CriterionComparison:
    old, new = (some.tally.covered.get(name, {}) for some in (before, after))
    then, now = (criterion_of(name, some, criteria) for some in (before, after))
    both = tuple(row for some in (before, after) for row in rows(some, names=[name], criteria=criteria))
    remark = ""
    if name not in after.criteria:
        remark = _ONLY_BEFORE
    elif name not in before.criteria:
        remark = _ONLY_AFTER
    elif isinstance(now, OrderCriterion) and correspondence.changed:
        remark = _ORDERS
    if remark:
        return CriterionComparison(name, len(old), len(new), dict.fromkeys(KINDS, 0), (), remark, both)
    found: dict[str, list[Key]] = {what: [] for what in KINDS}
    kept: set[Key] = set()
    exists, possible = _existence(now, after), _possibility(now, after)
    shape = UNKNOWN if then is None else then.shape
    for key in old:
        new_key = Requirement(shape, key).moved(correspondence.site, correspondence.text)
        if new_key is None or (new_key not in new and not exists(new_key)):
            found[GONE].append(key)
        elif new_key in new:
            kept.add(new_key)
        else:
            found[LOST if possible(new_key) else IMPOSSIBLE].append(new_key)
    found[GAINED] = [key for key in new if key not in kept]
    sites = {**before.sites, **after.sites}  # includes the old sites of files that were not measured again
    all_keys = {*new, *chain.from_iterable(found.values())}
    changes = [
        change
        for what, keys in found.items()
        for change in _changes(what, keys, _explained(then if what == GONE else now, sites, all_keys), name, limit)
    ]
    numbers = {what: len(keys) for what, keys in found.items()}
    return CriterionComparison(name, len(old), len(new), numbers, tuple(changes), rows=both)


def _existence(criterion: Criterion | None, contents: Contents) -> Callable[[Key], bool]:
    """Return a predicate that checks whether a requirement still exists in the code.

    Requirements that name methods instead of sites are looked up in the static model.
    """
    listed: set[Key] | None = None

    def exists(key: Key) -> bool:
        nonlocal listed
        if criterion is None or Requirement(criterion.shape, key).sites:
            return True
        if listed is None:
            listed = set(criterion.requirements(contents.model_for(criterion.name), PruningFacts()) or ())
        return not listed or key in listed

    return exists


def _possibility(criterion: Criterion | None, contents: Contents) -> Callable[[Key], bool]:
    """Return a predicate that checks whether a requirement is still feasible.

    Only locks are considered. An added lock can make a requirement infeasible, and then its coverage does not count as
    lost. A requirement that became infeasible for another reason, such as a changed order of starts and joins, still
    counts as lost, because the test itself may have lost a thread.
    """
    if criterion is None:
        return lambda key: True
    return lambda key: BY_A_LOCK not in (criterion.infeasible(key, contents.facts) or "")


@dataclass(frozen=True, slots=True)
class _Explained:
    """A criterion, with the sentences and sites that describe its requirements."""

    criterion: Criterion
    sentences: Sentences
    sites: Mapping[int, Site]


def _explained(criterion: Criterion | None, sites: Mapping[int, Site], among: Iterable[Key]) -> _Explained | None:
    """Return the criterion with its sentences, or None if this version of raddle does not have the criterion."""
    return None if criterion is None else _Explained(criterion, Sentences(criterion, sites, among), sites)


def _changes(what: str, keys: Iterable[Key], by: _Explained | None, name: str, limit: int) -> list[Change]:
    def place(key: Key) -> tuple[str, int]:
        site = by.sites.get(by.criterion.home(key)) if by is not None else None
        return (site.file, site.line) if site is not None else (ELSEWHERE, 0)

    def clause(key: Key) -> str:
        return by.sentences.explain(key) if by is not None else f"{name} {key}"

    found = heapq.nsmallest(limit, ((*place(key), repr(key), key) for key in keys))
    return [Change(name, what, file, line, _SENTENCES[what].format(clause(key))) for file, line, _, key in found]
