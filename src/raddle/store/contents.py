"""The contents of a data file as Python values. Reports are built from these values alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from raddle.record import MeasuredData, Record
from raddle.site import INDEX_BITS
from raddle.static_model import StaticModel


@dataclass(frozen=True, slots=True)
class Run:
    """One run of raddle that measured coverage."""

    identity: str  # a random identifier, which stays the same when data files are combined
    origin: str
    mode: str
    executions: int
    before: int  # number of executions in earlier runs; this run's executions are numbered from `before` + 1
    added: str  # when the run was added, in UTC
    criteria: frozenset[str] = frozenset()  # criteria that the run measured
    exact: frozenset[str] = frozenset()  # criteria for which the run covered every feasible requirement
    files: frozenset[tuple[str, int]] = frozenset()  # label and digest of each source file

    def includes(self, other: Run) -> bool:
        """Return whether both runs have the same origin and mode, and this run measured all files of the other."""
        return (self.origin, self.mode) == (other.origin, other.mode) and self.files >= other.files


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents(MeasuredData):
    """The merged data of all runs in a data file.

    >>> runs = (Run("a", "run app.py", "native", 5, 0, "", frozenset({"map", "sync"})),
    ...         Run("b", "run app.py", "native", 2, 5, "", frozenset({"sync"})))
    >>> contents = Contents(runs=runs)
    >>> contents.executions("map"), contents.executions("sync")
    (5, 7)
    """

    runs: tuple[Run, ...] = ()  # executions are numbered consecutively across runs

    def __add__(self, other: Contents) -> Contents:
        """Merge the contents of two data files, as `raddle.store.writing` does table by table."""
        before = max((run.before + run.executions for run in self.runs), default=0)
        renumbered = tuple(replace(run, before=before + run.before) for run in other.runs)
        return replace(super(Contents, self).__add__(other), runs=self.runs + renumbered)

    @property
    def criteria(self) -> tuple[str, ...]:
        """The names of the measured criteria, sorted."""
        return tuple(sorted({name for run in self.runs for name in run.criteria}))

    @property
    def exact(self) -> frozenset[str]:
        """The criteria for which every run was exact or repeated an exact run."""
        inexact = {
            name
            for index, run in enumerate(self.runs)
            for name in run.criteria - run.exact
            if not self._repeats(run, self.runs[:index], name)
        }
        return frozenset(self.criteria) - inexact

    def _repeats(self, run: Run, earlier: Sequence[Run], criterion: str) -> bool:
        """Return whether an earlier exact run includes this run and this run covered nothing new.

        If a run does cover something new, its options allowed more executions, for example because of a different
        switch model.
        """
        if not any(criterion in other.exact and other.includes(run) for other in earlier):
            return False
        own = range(run.before + 1, run.before + run.executions + 1)
        return not any(seen.first in own for seen in self.tally.covered.get(criterion, {}).values())

    def model_for(self, criterion: str) -> StaticModel:
        """Return the static model, restricted to the files of runs that measured the criterion."""
        measured = [run for run in self.runs if criterion in run.criteria]
        if len(measured) == len(self.runs):
            return self.model
        return self.model.of_modules({digest for run in measured for _, digest in run.files})

    def executions(self, criterion: str) -> int:
        """Return the number of executions measured with the criterion."""
        return sum(run.executions for run in self.runs if criterion in run.criteria)

    def since_new(self, criterion: str) -> int:
        """Return how many executions have been measured with the criterion since its coverage last grew."""
        last = max((seen.first for seen in self.tally.covered.get(criterion, {}).values()), default=0)
        measured = (run for run in self.runs if criterion in run.criteria)
        return sum(max(0, min(run.executions, run.before + run.executions - last)) for run in measured)

    @property
    def files(self) -> frozenset[tuple[str, int]]:
        """The label and digest of each source file; the digest is 0 if the file has no sites."""
        with_sites = {(site.file, number >> INDEX_BITS) for number, site in self.sites.items()}
        labels = {label for label, _ in with_sites}
        return frozenset(with_sites | {(label, 0) for label in self.paths if label not in labels})


def contents_of(record: Record, *, identity: str = "", added: str = "") -> Contents:
    """Return the contents of a data file that holds only this record."""
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
