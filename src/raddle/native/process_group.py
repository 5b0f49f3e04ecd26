"""The processes of one run. They collect their records in a folder, and the first process reports on all records."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from raddle.errors import RaddleError
from raddle.record import Record
from raddle.store import Contents, NoDataError, add, read

_FILE = "measured"  # a data file that holds only this run


class ProcessGroup:
    """The processes that share a folder; `first` is the id of the process that started the run."""

    def __init__(self, folder: str, first: int) -> None:
        self._folder = folder
        self._first = first

    @classmethod
    def create_folder(cls) -> tuple[str, int]:
        """Create the folder. Return its path and the id of this process, which becomes the first process."""
        return tempfile.mkdtemp(prefix="raddle-"), os.getpid()

    def add_at_exit(self, record: Record) -> None:
        """Add the record of a process that is ending, unless it is the first process.

        `merged` adds the record of the first process.
        """
        if os.getpid() != self._first:
            self.add_explored(record)

    def add_explored(self, record: Record) -> None:
        """Add the record of an exploration that ran inside one of the processes."""
        # The folder no longer exists if the first process has ended.
        if self._folder and os.path.isdir(self._folder):
            with suppress(RaddleError, OSError):
                add(Path(self._folder, _FILE), record, starts_run=False)

    def merged(self, own: Record | None) -> Contents | None:
        """Merge the record of the first process with those in the folder; return None if the folder is empty."""
        file = Path(self._folder, _FILE)
        try:
            if not self._folder or not file.exists():
                return None
            if own is not None:
                add(file, own)
            return read(file)
        except (NoDataError, OSError):
            return None

    def remove_folder(self) -> None:
        """Delete the folder if this is the first process."""
        if self._folder and os.getpid() == self._first:
            shutil.rmtree(self._folder, ignore_errors=True)
