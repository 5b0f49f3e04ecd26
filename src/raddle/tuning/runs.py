"""The base class for evaluating configurations by running a scenario or a command."""

from __future__ import annotations

from raddle.record import Record
from raddle.refusal import NotInstrumented
from raddle.store import try_to_add
from raddle.tuning.configurations import Configuration
from raddle.tuning.search import Measured


class Runs:
    """Evaluates configurations, and stores their combined coverage."""

    def __init__(self, data_file: str | None) -> None:
        self._data_file = data_file
        self.record: Record | None = None  # merged record of all evaluations, without findings
        self.notes: dict[str, None] = {}
        self.not_stored = ""  # why a record could not be stored, or "" if all were stored
        self.not_instrumented: dict[NotInstrumented, None] = {}

    def __call__(self, configuration: Configuration, seconds: float | None) -> Measured:
        """Evaluate a configuration by running it a few times."""
        raise NotImplementedError

    def _store(self, record: Record) -> None:
        """Add a record to the data file, if there is one."""
        if self._data_file is not None:
            added = try_to_add(self._data_file, record)
            self.not_stored = added.error or self.not_stored
            self.notes.update(dict.fromkeys(added.notes))
