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
    """Measured coverage, with all the data that reports need to describe it."""

    tally: Tally = field(default_factory=Tally)
    sites: Mapping[int, Site] = field(default_factory=dict)  # every site that the tally or the model refers to
    paths: Mapping[str, str] = field(default_factory=dict)  # maps the file names of sites to paths on this machine
    model: StaticModel = field(default_factory=StaticModel)
    facts: PruningFacts = field(default_factory=PruningFacts)
    warnings: tuple[ReportedWarning, ...] = ()
    findings: tuple[dict[str, Any], ...] = ()  # as returned by `Finding.as_json`
    notes: tuple[str, ...] = ()
    corpus: tuple[CorpusEntry, ...] = ()  # executions that covered something new
    extras: Mapping[str, Any] = field(default_factory=dict)  # maps a criterion to data for its total; merged with `+`

    def __add__(self, other: Self) -> Self:
        """Merge the data of two runs, as if the other run had followed this one.

        The executions of the other run are renumbered accordingly. Duplicate warnings, findings, notes and schedules
        are dropped. Data files are merged in the same way, table by table.

        >>> one, other = Tally(), Tally()
        >>> one.add(1, "sync", [("a",)]); other.add(1, "sync", [("b",)])
        >>> (MeasuredData(tally=one) + MeasuredData(tally=other)).tally.growth["sync"]
        [(1, 1), (2, 2)]
        """
        renumbered = [replace(entry, number=entry.number + self.tally.executions) for entry in other.corpus]
        return replace(
            self,
            tally=self.tally + other.tally,
            sites={**self.sites, **other.sites},
            paths={**self.paths, **other.paths},
            model=self.model + other.model,
            facts=self.facts + other.facts,
            warnings=tuple(dict.fromkeys((*self.warnings, *other.warnings))),
            findings=_deduplicated((*self.findings, *other.findings), finding_identity),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            corpus=_deduplicated((*self.corpus, *renumbered), CorpusEntry.identity),
            extras=_merged(self.extras, other.extras),
        )

    def measured_fields(self) -> dict[str, Any]:
        """Return the fields of this class as keyword arguments, to create an object of another subclass.

        >>> MeasuredData(notes=("hello",)).measured_fields()["notes"]
        ('hello',)
        """
        return {part.name: getattr(self, part.name) for part in fields(MeasuredData)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(MeasuredData):
    """The data of one run. The upper bits of a site number (`number >> 16`) are a digest of the source file."""

    origin: str = ""  # "explore log.py::scenario", "run app.py"
    mode: str = ""  # "controlled" or "native"
    exact: frozenset[str] = frozenset()  # criteria for which the run covered every feasible requirement

    @property
    def measured(self) -> frozenset[str]:
        """The names of the criteria that were measured."""
        return frozenset(self.tally.covered) | self.exact | frozenset(self.extras)

    def __add__(self, other: Record) -> Record:
        """Merge two runs of one origin.

        The result is exact for a criterion if one run was exact for it and the other run covered no further
        requirements.
        """
        exact = {
            name
            for run, rest in ((self, other), (other, self))
            for name in run.exact
            if rest.tally.covered.get(name, {}).keys() <= run.tally.covered.get(name, {}).keys()
        }
        origin, mode = self.origin or other.origin, self.mode or other.mode
        return replace(super(Record, self).__add__(other), origin=origin, mode=mode, exact=frozenset(exact))


def _deduplicated(values: Iterable[T], identity: Callable[[T], Hashable]) -> tuple[T, ...]:
    """Drop duplicates: keep the first of all values with the same identity."""
    found: dict[Hashable, T] = {}
    for value in values:
        found.setdefault(identity(value), value)
    return tuple(found.values())


def finding_identity(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the fields that identify a stored finding."""
    return tuple(finding.get(name) for name in ("kind", "message", "thread", "schedule"))


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    return {**one, **{name: one[name] + extra if name in one else extra for name, extra in other.items()}}
