"""Measures what a process does, and adds the result to the data file when it ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from raddle.criteria import make_criteria
from raddle.criterion_settings import DEFAULT_SETTINGS, CriterionSettings
from raddle.entities import Entities
from raddle.measuring.measurement import Measurement
from raddle.measuring.recording import make_record
from raddle.native.ids.names import VariableNames
from raddle.native.process_group import ProcessGroup
from raddle.record import Record
from raddle.step import Step
from raddle.store import try_to_add

MAX_DISCARDED = 2000  # variables and resources that are no more, between two times that what they covered is collected


class ForgettingMeasurement(Measurement):
    """A measurement of one long execution, in which things come and go."""

    _since = 0

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """There will be no more steps about these."""
        self._since += len(variables) + len(resources)
        if self._since > MAX_DISCARDED:
            self._since = 0
            self.collect(final=False)  # criteria have nothing to remember of what they have told
        for observer in self._observers:
            observer.forget(variables, resources)

    def notes(self, origin: str) -> list[str]:
        """What people should know about the figures."""
        if any(check.gave_up for check in self._checks):
            return [f"{origin}: there were too many orders of locks to look for all circles; {LOCKS_NOT_ALL}"]
        return []


LOCKS_NOT_ALL = "warnings of potential deadlocks may be missing"


class MeasuringSink:
    """One execution of one process. Where nothing was instrumented, there is nothing to keep."""

    def __init__(
        self,
        names: VariableNames,
        *,
        criteria: Sequence[str],
        data_file: str | None,
        origin: str,
        family: ProcessGroup | None = None,
        settings: CriterionSettings = DEFAULT_SETTINGS,
    ) -> None:
        self._names = names
        self._data_file = data_file
        self._origin = origin
        self._family = family
        self._measurement = ForgettingMeasurement(make_criteria(criteria, settings))
        self.record: Record | None = None
        self.notes: tuple[str, ...] = ()
        self.not_stored = ""  # why not

    def begin(self, entities: Entities) -> None:
        """An execution begins."""
        self._measurement.begin(entities)

    def feed(self, steps: Sequence[Step]) -> None:
        """Steps happened."""
        self._measurement.early = self._names.model().early
        self._measurement.feed(steps)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """There will be no more steps about these."""
        self._measurement.forget(variables, resources)

    def end(self) -> None:
        """The execution is over: keep what came of it."""
        if not len(self._names.table):
            return
        self._measurement.end()
        self.record = make_record(
            self._measurement,
            self._names.table,
            self._names.model(),
            origin=self._origin,
            mode="native",
            notes=self._measurement.notes(self._origin),
        )
        if self._data_file is not None:
            added = try_to_add(self._data_file, self.record)
            self.not_stored = added.trouble
            self.notes = added.notes
        if self._family is not None:
            self._family.add_at_exit(self.record)
