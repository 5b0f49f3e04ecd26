"""Adds the coverage of explorations inside a measured program, such as those of marked tests, to the enclosing run.

The watch is suspended during an exploration (see `suspension`), so nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raddle.errors import RaddleError
from raddle.native.process_group import ProcessGroup
from raddle.record import Record
from raddle.store import add

VARIABLE = "RADDLE_RUN"  # the environment variable that holds the settings of the run, as JSON


@dataclass(frozen=True, slots=True)
class EnclosingRun:
    """The `raddle run` that this process belongs to."""

    criteria: tuple[str, ...]
    data_file: str
    family: ProcessGroup

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> EnclosingRun | None:
        """Return the run that the environment describes; None if there is no run or the run measures nothing.

        >>> EnclosingRun.from_environment({}) is None
        True
        """
        text = environment.get(VARIABLE)
        if not text:
            return None
        from raddle.native.settings import Settings

        try:
            settings = Settings.from_json(text)
        except (ValueError, TypeError, AttributeError, RaddleError):
            return None  # the variable was set by other software, or by another version of raddle
        if not settings.criteria or settings.data_file is None:
            return None
        return cls(settings.criteria, settings.data_file, ProcessGroup(settings.family, settings.first))

    def add(self, record: Record) -> tuple[str, ...]:
        """Store the record of an exploration in the data file of the run; return the notes to show."""
        notes = add(self.data_file, record, starts_run=False)
        self.family.add_explored(record)
        return notes
