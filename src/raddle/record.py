"""A record: everything that one run adds to the data file."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, TypeVar

from raddle.corpus import CorpusEntry
from raddle.pruning_facts import PruningFacts
from raddle.site import Site
from raddle.static_model import StaticModel
from raddle.tally import Tally
from raddle.warning import ReportedWarning

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MeasuredData:
    """What was measured, and what is needed to say it to people long after."""

    tally: Tally = field(default_factory=Tally)
    sites: Mapping[int, Site] = field(default_factory=dict)  # all that the tally and the model name
    paths: Mapping[str, str] = field(default_factory=dict)  # file, as sites name it -> where it lies on this machine
    model: StaticModel = field(default_factory=StaticModel)
    facts: PruningFacts = field(default_factory=PruningFacts)
    warnings: tuple[ReportedWarning, ...] = ()
    findings: tuple[dict[str, Any], ...] = ()  # as `Finding.as_json` gives them
    notes: tuple[str, ...] = ()
    corpus: tuple[CorpusEntry, ...] = ()  # executions that covered something new
    extras: Mapping[str, Any] = field(default_factory=dict)  # criterion -> what its total is made from; adds with `+`

    def __add__(self, other: Self) -> Self:
        """Merge what two runs measured, as if the other one had followed this one.

        The executions of the other run are numbered on. Each caution, finding, note and schedule is kept once. The
        data file merges in the same way, table by table.

        >>> one, other = Tally(), Tally()
        >>> one.add(1, "sync", [("a",)]); other.add(1, "sync", [("b",)])
        >>> (MeasuredData(tally=one) + MeasuredData(tally=other)).tally.growth["sync"]
        [(1, 1), (2, 2)]
        """
        moved = [replace(kept, number=kept.number + self.tally.executions) for kept in other.corpus]
        return replace(
            self,
            tally=self.tally + other.tally,
            sites={**self.sites, **other.sites},
            paths={**self.paths, **other.paths},
            model=self.model + other.model,
            facts=self.facts + other.facts,
            warnings=tuple(dict.fromkeys((*self.warnings, *other.warnings))),
            findings=_each_once((*self.findings, *other.findings), finding_identity),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            corpus=_each_once((*self.corpus, *moved), CorpusEntry.identity),
            extras=_added(self.extras, other.extras),
        )

    def measured_fields(self) -> dict[str, Any]:
        """All of that by name, for another that has it in common.

        >>> MeasuredData(notes=("hello",)).measured_fields()["notes"]
        ('hello',)
        """
        return {part.name: getattr(self, part.name) for part in fields(MeasuredData)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(MeasuredData):
    """What one run adds. `number >> 16` of its sites is a digest of the file's source."""

    origin: str = ""  # "explore log.py::scenario", "run app.py"
    mode: str = ""  # "controlled" or "native"
    exact: frozenset[str] = frozenset()  # criteria of which every requirement that can be covered was covered

    @property
    def measured(self) -> frozenset[str]:
        """The criteria that were measured."""
        return frozenset(self.tally.covered) | self.exact | frozenset(self.extras)

    def __add__(self, other: Record) -> Record:
        """Merge two runs of one origin; a criterion is exact if an exact run covered all that the other one covered."""
        exact = {
            name
            for run, rest in ((self, other), (other, self))
            for name in run.exact
            if rest.tally.covered.get(name, {}).keys() <= run.tally.covered.get(name, {}).keys()
        }
        origin, mode = self.origin or other.origin, self.mode or other.mode
        return replace(super(Record, self).__add__(other), origin=origin, mode=mode, exact=frozenset(exact))


def _each_once(values: Iterable[T], identity: Callable[[T], Hashable]) -> tuple[T, ...]:
    """Keep the first of all values with the same identity."""
    found: dict[Hashable, T] = {}
    for value in values:
        found.setdefault(identity(value), value)
    return tuple(found.values())


def finding_identity(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what tells a stored finding from all others."""
    return tuple(finding.get(name) for name in ("kind", "message", "thread", "schedule"))


def _added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return {**one, **{name: one[name] + extra if name in one else extra for name, extra in other.items()}}
