"""The processes of one run: what those that the program starts leave for the first one to say."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from raddle.errors import RaddleError
from raddle.record import Record
from raddle.store import Contents, NoDataError, add, read

_FILE = "measured"  # a data file of this run alone


class ProcessGroup:
    """Known to all of them by its folder, and by who was first."""

    def __init__(self, folder: str, first: int) -> None:
        self._folder = folder
        self._first = first

    @classmethod
    def create_folder(cls) -> tuple[str, int]:
        """A folder for the processes that this one will start."""
        return tempfile.mkdtemp(prefix="raddle-"), os.getpid()

    def add_at_exit(self, record: Record) -> None:
        """A process ends; what it measured is in the data file already. The first one may be gone."""
        if os.getpid() != self._first:
            self.add_explored(record)

    def add_explored(self, record: Record) -> None:
        """An exploration inside the program has ended, in whichever of the processes."""
        if self._folder and os.path.isdir(self._folder):
            with suppress(RaddleError, OSError):
                add(Path(self._folder, _FILE), record, starts_run=False)

    def merged(self, own: Record | None) -> Contents | None:
        """What all processes measured that have ended, the first one too; None if there was no other."""
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
        """Nobody needs the folder any more."""
        if self._folder and os.getpid() == self._first:
            shutil.rmtree(self._folder, ignore_errors=True)
