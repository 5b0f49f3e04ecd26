"""Access to the data file: one transaction per call, safe for concurrent processes, with helpful error messages.

The file uses the rollback journal of SQLite, not the write-ahead log, which does not work on network file systems. A
process may be killed at any moment: the next process that opens the file rolls back the unfinished transaction. The
tables are created in the same transaction as the first row, so a file is either empty or complete.

The file is only ever opened through SQLite. Closing another descriptor of the same file would release the locks that
SQLite holds in this process.
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

BUSY_SECONDS = 300.0  # how long to wait for the lock; many workers may write at the same time
RETRY_SECONDS = 0.05  # delay between attempts when SQLite itself does not wait

T = TypeVar("T")


class NoDataError(UsageError):
    """The data file does not exist or is empty."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "no-data", f"there is no data in {path}: run `raddle run` or `raddle explore --criteria` first"
        )


def write(path: Path, change: Callable[[sqlite3.Connection], T], *, busy_seconds: float = BUSY_SECONDS) -> T:
    """Call `change` in a transaction and return its result; create the file if it does not exist.

    `change` is called again if the file was locked.
    """
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            with _connected(path, "rwc", busy_seconds) as connection, _transaction(connection, "immediate"):
                if _is_empty(connection, path):
                    _make_tables(connection)
                else:
                    _check(connection, path)
                    _add_bases(connection)
                    _add_graphs(connection)
                return change(connection)
        except sqlite3.Error as error:
            if not _is_busy(error) or time.monotonic() >= deadline:
                raise _explained(error, path, busy_seconds) from None
        time.sleep(RETRY_SECONDS)


def read(path: Path, query: Callable[[sqlite3.Connection], T], *, busy_seconds: float = BUSY_SECONDS) -> T:
    """Call `query` on a consistent snapshot of the file and return its result; never create or change the file.

    The file is opened for writing if permitted, so that SQLite can roll back the transaction of a killed process.
    """
    if not os.path.exists(path):
        raise NoDataError(path)
    try:
        with _connected(path, "rw", busy_seconds) as connection, _transaction(connection, "deferred"):
            if _is_empty(connection, path):
                raise NoDataError(path)
            _check(connection, path)
            return query(connection)
    except sqlite3.Error as error:
        raise _explained(error, path, busy_seconds) from None
    except (ValueError, TypeError, LookupError, AttributeError) as error:  # invalid JSON, or unexpected values
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
    """Return whether the file is empty. SQLite also treats a file of one byte as empty; this function does not."""
    (tables,) = connection.execute("select count(*) from sqlite_master").fetchone()
    return tables == 0 and os.stat(path).st_size == 0


def _make_tables(connection: sqlite3.Connection) -> None:
    for statement in SCHEMA.split(";\n"):  # `executescript` would end the transaction
        connection.execute(statement)
    connection.execute(f"pragma application_id = {APPLICATION}")
    connection.execute(f"pragma user_version = {VERSION}")


def has_bases(connection: sqlite3.Connection) -> bool:
    """Return whether the file has the table `base`, which was added without a new version of the tables."""
    return _has_table(connection, "base")


def has_graphs(connection: sqlite3.Connection) -> bool:
    """Return whether the file has the table `graph`, which was added without a new version of the tables."""
    return _has_table(connection, "graph")


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    return bool(connection.execute("select count(*) from sqlite_master where name = ?", (name,)).fetchone()[0])


def _add_bases(connection: sqlite3.Connection) -> None:
    """Add the table `base` to a file written before it existed.

    The runs in the file did not pair own with inherited variables, so they are no longer exact for `map`.
    """
    if not has_bases(connection):
        _make_table(connection, "base")
        connection.execute("update run_criterion set exact = 0 where criterion = 'map'")


def _add_graphs(connection: sqlite3.Connection) -> None:
    """Add the table `graph` to a file written before it existed."""
    if not has_graphs(connection):
        _make_table(connection, "graph")


def _make_table(connection: sqlite3.Connection, name: str) -> None:
    (statement,) = (statement for statement in SCHEMA.split(";\n") if f"create table {name} (" in statement)
    connection.execute(statement)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("pragma application_id").fetchone()
    (version,) = connection.execute("pragma user_version").fetchone()
    if application != APPLICATION:
        raise _not_a_data_file(path)
    if version < VERSION:
        what_to_do = "delete it and measure again, or read it with the version of raddle that wrote it"
    elif version > VERSION:
        what_to_do = "upgrade raddle"
    else:
        return
    raise UsageError(
        "data-file-version",
        f"{path} is a version {version} data file, but this version of raddle reads version {VERSION}: {what_to_do}",
    )


def _is_busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error)


def _not_a_data_file(path: Path) -> UsageError:
    return UsageError("not-a-data-file", f"{path} is not a raddle data file; choose another file with --data-file")


class UnusableError(UsageError):
    """The data file cannot be used, for example because it is locked or damaged. Findings are printed anyway."""


def _damaged(path: Path, error: Exception) -> UsageError:
    return UnusableError(
        "data-file-unreadable", f"{path} is damaged ({type(error).__name__}: {error}): delete it and measure again"
    )


def _explained(error: sqlite3.Error, path: Path, busy_seconds: float) -> Exception:
    message = str(error)
    if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
        return error  # the cause is a bug in raddle
    if "not a database" in message:
        return _not_a_data_file(path)
    if _is_busy(error):
        return UnusableError(
            "data-file-busy",
            f"{path} was locked by another process for more than {busy_seconds:g} s; nothing was read or stored",
        )
    if "malformed" in message or "no such" in message or "has no column" in message:
        return _damaged(path, error)
    if "readonly" in message or "full" in message or "disk I/O" in message:
        what_to_do = "free disk space or choose another file with --data-file"
        return UnusableError("data-file-unwritable", f"{path} cannot be written ({message}): {what_to_do}")
    reason = _reason(path) or message
    return UsageError("data-file-unreadable", f"{path} cannot be opened: {reason}")


def _reason(path: Path) -> str:
    """Return why a file cannot be opened, which SQLite does not report; "" if unknown."""
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    if not path.exists():
        return "" if os.access(path.parent, os.W_OK) else f"the folder {path.parent.absolute()} is not writable"
    return "" if os.access(path, os.R_OK) else "you do not have permission to read it"
