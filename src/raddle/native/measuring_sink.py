"""The sink that measures coverage in one process and adds the result to the data file at the end."""

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

MAX_DISCARDED = 2000  # number of variables and resources discarded between two collections of coverage


class ForgettingMeasurement(Measurement):
    """A measurement for one long execution: it drops the state of discarded variables and resources."""

    _discarded_since_collection = 0

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Drop the state that criteria and checks keep for variables and resources that no further step uses."""
        self._discarded_since_collection += len(variables) + len(resources)
        if self._discarded_since_collection > MAX_DISCARDED:
            self._discarded_since_collection = 0
            self.collect(final=False)  # lets criteria drop what they have already reported
        for observer in self._observers:
            observer.forget(variables, resources)

    def notes(self, origin: str) -> list[str]:
        """Return notes about the accuracy of the measurement, for the report."""
        if any(check.gave_up for check in self._checks):
            return [f"{origin}: there were too many lock orders to search for every cycle; {LOCKS_NOT_ALL}"]
        return []


LOCKS_NOT_ALL = "warnings about potential deadlocks may be missing"


class MeasuringSink:
    """Measures one execution of one process. If nothing was instrumented, it stores nothing."""

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
        self.not_stored = ""  # why the record could not be stored

    def begin(self, entities: Entities) -> None:
        """Begin an execution with these entities."""
        self._measurement.begin(entities)

    def feed(self, steps: Sequence[Step]) -> None:
        """Measure the next steps."""
        self._measurement.early = self._names.model().early
        self._measurement.feed(steps)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Drop the state of variables and resources that no further step uses."""
        self._measurement.forget(variables, resources)

    def end(self) -> None:
        """End the execution and store its record in the data file."""
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
            self.not_stored = added.error
            self.notes = added.notes
        if self._family is not None:
            self._family.add_at_exit(self.record)
