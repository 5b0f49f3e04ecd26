"""Explorations inside a watched program, as of marked tests: what they cover counts for its run, too.

The watch steps aside while one goes on (`aside`), so nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raddle.errors import RaddleError
from raddle.native.process_group import ProcessGroup
from raddle.record import Record
from raddle.store import add

VARIABLE = "RADDLE_RUN"  # of the environment: what processes of a run find its settings by


@dataclass(frozen=True, slots=True)
class EnclosingRun:
    """The run that this process belongs to."""

    criteria: tuple[str, ...]
    data_file: str
    family: ProcessGroup

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> EnclosingRun | None:
        """None where there is no run, or one that measures nothing.

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
            return None  # the variable is somebody else's, or another raddle's
        if not settings.criteria or settings.data_file is None:
            return None
        return cls(settings.criteria, settings.data_file, ProcessGroup(settings.family, settings.first))

    def add(self, record: Record) -> tuple[str, ...]:
        """Keep what an exploration covered; the notes that are to be shown."""
        notes = add(self.data_file, record, starts_run=False)
        self.family.add_explored(record)
        return notes
