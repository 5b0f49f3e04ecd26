"""The data file: what runs measured, one after the other or at the same time."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from raddle.corpus import CorpusEntry
from raddle.errors import RaddleError, UsageError
from raddle.record import Record
from raddle.store import connection
from raddle.store.changed import drop_changed
from raddle.store.contents import Contents, contents_of
from raddle.store.reading import read_contents
from raddle.store.writing import add_contents, add_notes, drop_notes, schedule_identity

NATIVE = "native"  # the mode of records that the processes of a program make
DATA_FILE = ".raddle"  # in the current folder, unless told otherwise


def add(
    path: str | os.PathLike[str],
    record: Record,
    *,
    starts_run: bool | None = None,
    busy_seconds: float = connection.BUSY_SECONDS,
) -> tuple[str, ...]:
    """Add what a run measured: all of it, or nothing if this is interrupted. The notes that are to be shown.

    Many processes may do this at once. Where a source file has changed since it was measured, what was stored
    about it is dropped, and a note says so. Such notes of earlier runs are forgotten where the record `begins` a run:
    unless told otherwise, any but a native one, as a native run has many processes and says itself when it begins.

    >>> import tempfile
    >>> from raddle.tally import Tally
    >>> tally = Tally()
    >>> tally.add(1, "sync", [(70000, "visited")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for _ in range(2):
    ...         notes = add(f"{folder}/data", Record(origin="run app.py", mode="native", tally=tally))
    ...     read(f"{folder}/data").tally.covered["sync"]
    {(70000, 'visited'): Covered(executions=2, first=1)}
    """
    contents = contents_of(record, identity=uuid.uuid4().hex, added=_now())

    def change(file: sqlite3.Connection) -> tuple[str, ...]:
        if starts_run or (starts_run is None and record.mode != NATIVE):
            drop_notes(file)
        notes = drop_changed(file, contents)
        add_contents(file, contents, keep_paths=False)
        add_notes(file, notes)
        return notes

    return connection.write(Path(path), change, busy_seconds=busy_seconds)


@dataclass(frozen=True, slots=True)
class AddResult:
    """What became of a record: the notes to be shown, and why it was not stored, if it was not."""

    notes: tuple[str, ...] = ()
    error: str = ""


def try_to_add(path: str | os.PathLike[str], record: Record, *, unfit: Iterable[CorpusEntry] = ()) -> AddResult:
    """`add`, after schedules that no longer fit were dropped; what goes wrong is said, not raised.

    A finding must not be lost because the disk is full.
    """
    try:
        forget_schedules(path, unfit)
        return AddResult(add(path, record))
    except (RaddleError, sqlite3.Error, OSError) as error:
        return AddResult(error=f"nothing was stored: {error}")
    except KeyboardInterrupt:
        return AddResult(error=f"nothing was stored: interrupted while {path} was written")


def forget_notes(path: str | os.PathLike[str]) -> None:
    """A run begins: what the one before has dropped was said long enough."""
    if os.path.exists(path) and os.stat(path).st_size:
        connection.write(Path(path), drop_notes)


def forget_schedules(path: str | os.PathLike[str], corpus: Iterable[CorpusEntry]) -> None:
    """They no longer fit the code."""
    gone = [schedule_identity(kept) for kept in corpus]
    if gone:
        statement = "delete from schedule where origin = ? and switches = ? and decisions = ? and points = ?"
        connection.write(Path(path), lambda file: file.executemany(statement, gone) and None)


def read(path: str | os.PathLike[str]) -> Contents:
    """Everything in the file. `NoDataError` is raised where there is none."""
    return connection.read(Path(path), read_contents)


def check(path: str | os.PathLike[str]) -> None:
    """Can something be added here? A file that is not there yet, or empty, is fine; else an error says what is wrong.

    >>> check("data-of-tomorrow")
    """
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise UsageError("data-file-unreadable", f"{path} cannot be opened: there is no folder {folder}")
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        what_to_do = "name another file with --data-file"
        raise connection.UnusableError(
            "data-file-unwritable", f"{path} cannot be written (permission denied): {what_to_do}"
        )
    with suppress(connection.NoDataError):
        connection.read(Path(path), lambda _: None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
