"""The data file: stores the measurements of successive or simultaneous runs."""

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

NATIVE = "native"  # mode of the records of native executions
DATA_FILE = ".raddle"  # default name of the data file, in the current folder


def add(
    path: str | os.PathLike[str],
    record: Record,
    *,
    starts_run: bool | None = None,
    busy_seconds: float = connection.BUSY_SECONDS,
) -> tuple[str, ...]:
    """Add the record of a run to the data file, completely or not at all; return notes to show to the user.

    Several processes may call this function at the same time. If a source file has changed since it was measured, its
    stored data is dropped, and a note says so. If `starts_run` is true, such notes from earlier runs are deleted. By
    default, every record except a native one starts a run: a native run may have many processes and calls
    `forget_notes` itself.

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
    """The result of adding a record to the data file."""

    notes: tuple[str, ...] = ()  # notes to show to the user
    error: str = ""  # why the record was not stored; "" if it was stored


def try_to_add(path: str | os.PathLike[str], record: Record, *, unfit: Iterable[CorpusEntry] = ()) -> AddResult:
    """Drop the schedules in `unfit`, then `add` the record. Errors are returned, not raised.

    A full disk must not prevent a finding from being reported.
    """
    try:
        forget_schedules(path, unfit)
        return AddResult(add(path, record))
    except (RaddleError, sqlite3.Error, OSError) as error:
        return AddResult(error=f"nothing was stored: {error}")
    except KeyboardInterrupt:
        return AddResult(error=f"nothing was stored: interrupted while writing {path}")


def forget_notes(path: str | os.PathLike[str]) -> None:
    """Delete the notes about dropped data, because a new run begins."""
    if os.path.exists(path) and os.stat(path).st_size:
        connection.write(Path(path), drop_notes)


def forget_schedules(path: str | os.PathLike[str], corpus: Iterable[CorpusEntry]) -> None:
    """Delete these schedules, which no longer fit the code."""
    identities = [schedule_identity(entry) for entry in corpus]
    if identities:
        statement = "delete from schedule where origin = ? and switches = ? and decisions = ? and points = ?"
        connection.write(Path(path), lambda file: file.executemany(statement, identities) and None)


def read(path: str | os.PathLike[str]) -> Contents:
    """Return the contents of the file; raise `NoDataError` if there are none."""
    return connection.read(Path(path), read_contents)


def check(path: str | os.PathLike[str]) -> None:
    """Raise an error if no data can be added to the file. A missing or empty file is valid.

    >>> check("data-of-tomorrow")
    """
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise UsageError("data-file-unreadable", f"{path} cannot be opened: there is no folder {folder}")
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        what_to_do = "choose another file with --data-file"
        raise connection.UnusableError(
            "data-file-unwritable", f"{path} cannot be written (permission denied): {what_to_do}"
        )
    with suppress(connection.NoDataError):
        connection.read(Path(path), lambda _: None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
