"""A pool that lends a limited number of connections."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


class PoolClosedError(Exception):
    """The pool is closed."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection, identified by its number within the pool."""

    number: int


@dataclass(frozen=True, slots=True)
class PoolStats:
    """The state of a pool at one moment."""

    size: int  # the number of connections that the pool may lend at the same time
    idle: int
    lent: int


class ConnectionPool:
    """Lends connections to threads. Each method takes effect in one indivisible step."""

    def __init__(self, size: int = 1) -> None:
        self._condition = threading.Condition()
        self._size = _checked(size)
        self._idle: list[Connection] = []
        self._lent: list[Connection] = []
        self._opened = 0
        self._closed = False

    def acquire(self, timeout: float | None = None) -> Connection:
        """Lend a connection; wait until there is one.

        Raises:
            PoolClosedError: If the pool is closed, also while waiting.
            TimeoutError: If no connection becomes free within `timeout` seconds.
        """
        with self._condition:
            if not self._condition.wait_for(lambda: self._closed or len(self._lent) < self._size, timeout):
                raise TimeoutError(f"no connection became free within {timeout} seconds")
            if self._closed:
                raise PoolClosedError("the pool is closed")
            if self._idle:
                connection = self._idle.pop()
            else:
                self._opened += 1
                connection = Connection(self._opened)
            self._lent.append(connection)
            return connection

    def release(self, connection: Connection) -> None:
        """Take a connection back. A closed pool also accepts those that it lent.

        Raises:
            ValueError: If the pool has not lent this connection, or has it back already.
        """
        with self._condition:
            if connection not in self._lent:
                raise ValueError(f"the pool has not lent {connection}")
            self._lent.remove(connection)
            if not self._closed and len(self._idle) + len(self._lent) < self._size:
                self._idle.append(connection)
            self._condition.notify()

    @contextmanager
    def connection(self, timeout: float | None = None) -> Iterator[Connection]:
        """Lend a connection for a `with` block. The exceptions are those of `acquire`."""
        connection = self.acquire(timeout)
        try:
            yield connection
        finally:
            self.release(connection)

    def resize(self, size: int) -> None:
        """Change how many connections may be lent. If there are too many, idle ones are closed, then returned ones."""
        with self._condition:
            self._size = _checked(size)
            while self._idle and len(self._idle) + len(self._lent) > size:
                self._idle.pop()
            self._condition.notify_all()

    def close(self) -> None:
        """Lend no more connections, and release the threads that wait for one."""
        with self._condition:
            self._closed = True
            self._idle.clear()
            self._condition.notify_all()

    def stats(self) -> PoolStats:
        with self._condition:
            return PoolStats(self._size, len(self._idle), len(self._lent))


def _checked(size: int) -> int:
    if size < 1:
        raise ValueError(f"the size must be at least 1, not {size}")
    return size
