"""Measures what a process does, and adds the result to the data file when it ends."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.cast import Cast
from raddle.criteria import make_criteria
from raddle.execute.measurement import Measurement
from raddle.execute.native.names import Names
from raddle.execute.recording import make_record
from raddle.record import Record
from raddle.step import Step
from raddle.store import add


class Saving:
    """One execution of one process. Where nothing was instrumented, there is nothing to keep."""

    def __init__(self, names: Names, *, criteria: Sequence[str], data_file: str | None, origin: str) -> None:
        self._names = names
        self._data_file = data_file
        self._origin = origin
        self._measurement = Measurement(make_criteria(criteria))
        self.record: Record | None = None
        self.notes: tuple[str, ...] = ()

    def begin(self, cast: Cast) -> None:
        """An execution begins."""
        self._measurement.begin(cast)

    def feed(self, steps: Sequence[Step]) -> None:
        """Steps happened."""
        self._measurement.early = self._names.model().early
        self._measurement.feed(steps)

    def end(self) -> None:
        """The execution is over: keep what came of it."""
        if not len(self._names.table):
            return
        self._measurement.end()
        self.record = make_record(
            self._measurement, self._names.table, self._names.model(), origin=self._origin, mode="native"
        )
        if self._data_file is not None:
            self.notes = tuple(add(self._data_file, self.record))
