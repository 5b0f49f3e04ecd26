"""Contents: everything that a data file holds, as values; every report is made from these alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from raddle.record import MeasuredData, Record
from raddle.site import INDEX_BITS
from raddle.static_model import StaticModel


@dataclass(frozen=True, slots=True)
class Run:
    """One use of raddle that measured something."""

    identity: str  # by which it is known again in other files
    origin: str
    mode: str
    executions: int
    before: int  # executions of earlier runs: its own are numbered from before + 1 on
    added: str  # when, in UTC
    criteria: frozenset[str] = frozenset()  # that it measured
    exact: frozenset[str] = frozenset()  # those of which it covered everything that can be covered
    files: frozenset[tuple[str, int]] = frozenset()  # that it was about: label and digest

    def is_about_all_of(self, other: Run) -> bool:
        """Did both run the same thing, in the same way, and did this one measure all the source that the other did?"""
        return (self.origin, self.mode) == (other.origin, other.mode) and self.files >= other.files


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents(MeasuredData):
    """What runs measured, all of them together.

    >>> runs = (Run("a", "run app.py", "native", 5, 0, "", frozenset({"map", "sync"})),
    ...         Run("b", "run app.py", "native", 2, 5, "", frozenset({"sync"})))
    >>> contents = Contents(runs=runs)
    >>> contents.executions("map"), contents.executions("sync")
    (5, 7)
    """

    runs: tuple[Run, ...] = ()  # executions are numbered on from run to run

    def __add__(self, other: Contents) -> Contents:
        """Merge the contents of two data files, as `raddle.store.writing` does table by table."""
        before = max((run.before + run.executions for run in self.runs), default=0)
        moved = tuple(replace(run, before=before + run.before) for run in other.runs)
        return replace(super(Contents, self).__add__(other), runs=self.runs + moved)

    @property
    def criteria(self) -> tuple[str, ...]:
        """Those that were measured, by name."""
        return tuple(sorted({name for run in self.runs for name in run.criteria}))

    @property
    def exact(self) -> frozenset[str]:
        """Criteria of which every run covered everything that could be covered, or repeated one that had."""
        inexact = {
            name
            for index, run in enumerate(self.runs)
            for name in run.criteria - run.exact
            if not self._repeats(run, self.runs[:index], name)
        }
        return frozenset(self.criteria) - inexact

    def _repeats(self, run: Run, earlier: Sequence[Run], criterion: str) -> bool:
        """Was the same explored before, all of it, and did this run bring nothing new?

        One that did had more freedom than the one before, as where threads may be switched.
        """
        if not any(criterion in other.exact and other.is_about_all_of(run) for other in earlier):
            return False
        own = range(run.before + 1, run.before + run.executions + 1)
        return not any(seen.first in own for seen in self.tally.covered.get(criterion, {}).values())

    def model_for(self, criterion: str) -> StaticModel:
        """The model of the sources of those runs that measured the criterion."""
        measured = [run for run in self.runs if criterion in run.criteria]
        if len(measured) == len(self.runs):
            return self.model
        return self.model.of_modules({digest for run in measured for _, digest in run.files})

    def executions(self, criterion: str) -> int:
        """How many of them were measured by the criterion."""
        return sum(run.executions for run in self.runs if criterion in run.criteria)

    def since_new(self, criterion: str) -> int:
        """Executions measured by the criterion after the last that covered anything new."""
        last = max((seen.first for seen in self.tally.covered.get(criterion, {}).values()), default=0)
        measured = (run for run in self.runs if criterion in run.criteria)
        return sum(max(0, min(run.executions, run.before + run.executions - last)) for run in measured)

    @property
    def files(self) -> frozenset[tuple[str, int]]:
        """Label and digest of each source file; the digest is 0 where a file has no sites."""
        with_sites = {(site.file, number >> INDEX_BITS) for number, site in self.sites.items()}
        labels = {label for label, _ in with_sites}
        return frozenset(with_sites | {(label, 0) for label in self.paths if label not in labels})


def contents_of(record: Record, *, identity: str = "", added: str = "") -> Contents:
    """What a file would hold if it held nothing else."""
    contents = Contents(**record.measured_fields())
    run = Run(
        identity,
        record.origin,
        record.mode,
        record.tally.executions,
        before=0,
        added=added,
        criteria=record.measured,
        exact=record.exact,
        files=contents.files,
    )
    return replace(contents, runs=(run,))
