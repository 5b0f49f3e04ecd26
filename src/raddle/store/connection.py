"""A connection to the data file: one transaction, safe among processes, whose errors say what to do.

SQLite's rollback journal is used, not its write-ahead log, which does not work in network folders. A process may
be killed at any moment: whoever opens the file next undoes what was half done. The tables are made in the same
transaction as the first row, so a file is either empty or whole.

Nothing here opens the file in another way than through SQLite: closing it would give up the locks that this
process has on it.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from raddle.errors import UsageError
from raddle.store.schema import APPLICATION, SCHEMA, VERSION

BUSY_SECONDS = 300.0  # how long others may keep the file: many workers that end at once take turns
RETRY_SECONDS = 0.05  # where SQLite does not wait by itself

T = TypeVar("T")


class NoDataError(UsageError):
    """There is no data file, or there is nothing in it."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "no-data", f"there is no data in {path}: run `raddle run` or `raddle explore --criteria` first"
        )


def write(path: Path, change: Callable[[sqlite3.Connection], T], *, busy_seconds: float = BUSY_SECONDS) -> T:
    """Make a change, all of it or nothing; the file is made if there is none.

    The change may be tried several times.
    """
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            with _connected(path, "rwc", busy_seconds) as connection, _transaction(connection, "immediate"):
                if _is_empty(connection, path):
                    _make_tables(connection)
                else:
                    _check(connection, path)
                return change(connection)
        except sqlite3.Error as error:
            if not _is_busy(error) or time.monotonic() >= deadline:
                raise _explained(error, path, busy_seconds) from None
        time.sleep(RETRY_SECONDS)


def read(path: Path, look: Callable[[sqlite3.Connection], T], *, busy_seconds: float = BUSY_SECONDS) -> T:
    """Look at the file as it is at one moment; it is never made or changed.

    It is opened for writing all the same, where that is allowed, to undo what a killed process left half done.
    """
    if not os.path.exists(path):
        raise NoDataError(path)
    try:
        with _connected(path, "rw", busy_seconds) as connection, _transaction(connection, "deferred"):
            if _is_empty(connection, path):
                raise NoDataError(path)
            _check(connection, path)
            return look(connection)
    except sqlite3.Error as error:
        raise _explained(error, path, busy_seconds) from None
    except (ValueError, TypeError, LookupError, AttributeError) as error:  # JSON that is none, or of another kind
        raise _damaged(path, error) from error


@contextmanager
def _connected(path: Path, mode: str, busy_seconds: float) -> Iterator[sqlite3.Connection]:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    with closing(sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None)) as connection:
        yield connection


@contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    connection.execute(f"begin {kind}")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def _is_empty(connection: sqlite3.Connection, path: Path) -> bool:
    """Nothing was ever stored here. SQLite takes a file of a single byte for an empty one: we do not."""
    (tables,) = connection.execute("select count(*) from sqlite_master").fetchone()
    return tables == 0 and os.stat(path).st_size == 0


def _make_tables(connection: sqlite3.Connection) -> None:
    for statement in SCHEMA.split(";\n"):  # `executescript` would end the transaction
        connection.execute(statement)
    connection.execute(f"pragma application_id = {APPLICATION}")
    connection.execute(f"pragma user_version = {VERSION}")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("pragma application_id").fetchone()
    (version,) = connection.execute("pragma user_version").fetchone()
    if application != APPLICATION:
        raise _foreign(path)
    if version < VERSION:
        what_to_do = "delete it and measure anew, or read it with the raddle that wrote it"
    elif version > VERSION:
        what_to_do = "upgrade raddle"
    else:
        return
    raise UsageError(
        "data-file-version",
        f"{path} is a data file of version {version}, and this raddle reads version {VERSION}: {what_to_do}",
    )


def _is_busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error)


def _foreign(path: Path) -> UsageError:
    return UsageError("not-a-data-file", f"{path} is not a data file of raddle; name another one with --data-file")


class UnusableError(UsageError):
    """The data file is the right one, but cannot be used now. Findings are printed even so."""


def _damaged(path: Path, error: Exception) -> UsageError:
    return UnusableError(
        "data-file-unreadable", f"{path} is damaged ({type(error).__name__}: {error}): delete it and measure anew"
    )


def _explained(error: sqlite3.Error, path: Path, busy_seconds: float) -> Exception:
    said = str(error)
    if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
        return error  # a fault of our own
    if "not a database" in said:
        return _foreign(path)
    if _is_busy(error):
        return UnusableError(
            "data-file-busy",
            f"another process has kept {path} for more than {busy_seconds:g} s; nothing was read or stored",
        )
    if "malformed" in said or "no such" in said or "has no column" in said:
        return _damaged(path, error)
    if "readonly" in said or "full" in said or "disk I/O" in said:
        what_to_do = "make room or name another file with --data-file"
        return UnusableError("data-file-unwritable", f"{path} cannot be written ({said}): {what_to_do}")
    reason = _reason(path) or said
    return UsageError("data-file-unreadable", f"{path} cannot be opened: {reason}")


def _reason(path: Path) -> str:
    """Why a file cannot be opened; SQLite does not say."""
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if not path.exists():
        return "" if os.access(path.parent, os.W_OK) else f"the folder {path.parent.absolute()} cannot be written to"
    return "" if os.access(path, os.R_OK) else "you are not allowed to read it"
