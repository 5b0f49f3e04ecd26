"""Connections, and a pool of connections."""

from __future__ import annotations

import threading
from typing import Protocol


class Connection:
    """An open connection of a user to a database."""

    def __init__(self, user: str | None) -> None:
        self.user = user
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


class ConnectionSource(Protocol):
    """Opens connections."""

    def connect(self, user: str | None, password: str | None) -> Connection: ...


class MemorySource:
    """Opens connections to a database in memory, for any user and password."""

    def connect(self, user: str | None, password: str | None) -> Connection:
        return Connection(user)


class PooledConnection:
    """A connection that `close` returns to its pool."""

    def __init__(self, pool: ConnectionPool, connection: Connection) -> None:
        self.connection = connection
        self._pool = pool

    def close(self) -> None:
        """Return the connection to the pool, unless that has happened before."""
        self._pool.give_back(self)


class ConnectionPool:
    """Keeps connections that are not in use, at most `max_idle` of them. Threads may share the pool.

    A negative limit means that there is none.
    """

    def __init__(self, source: ConnectionSource, *, max_active: int, max_idle: int) -> None:
        self._lock = threading.RLock()
        self._source = source
        self._max_active = max_active
        self._max_idle = max_idle
        self._borrowed: list[PooledConnection] = []
        self._idle: list[Connection] = []
        self._is_closed = False

    def borrow(self, user: str | None, password: str | None) -> PooledConnection:
        """Return an idle connection of the user or a new one. Raise ValueError if the pool is closed or used up."""
        with self._lock:
            if self._is_closed:
                raise ValueError("the pool is closed")
            if 0 <= self._max_active <= len(self._borrowed):
                raise ValueError(f"all {self._max_active} connections are in use")
            for connection in self._idle:
                if connection.user == user:
                    self._idle.remove(connection)
                    break
            else:
                connection = self._source.connect(user, password)
            borrowed = PooledConnection(self, connection)
            self._borrowed.append(borrowed)
            return borrowed

    def give_back(self, borrowed: PooledConnection) -> None:
        with self._lock:
            if borrowed not in self._borrowed:
                return
            self._borrowed.remove(borrowed)
            if self._is_closed or 0 <= self._max_idle <= len(self._idle):
                borrowed.connection.close()
            else:
                self._idle.append(borrowed.connection)

    def num_active(self) -> int:
        with self._lock:
            return len(self._borrowed)

    def num_idle(self) -> int:
        with self._lock:
            return len(self._idle)

    def close(self) -> None:
        """Close all idle connections, and each other connection when it is returned."""
        with self._lock:
            self._is_closed = True
            for connection in self._idle:
                connection.close()
            self._idle.clear()
