"""A data source with one pool for all users."""

from __future__ import annotations

from raddle_lab.classes.connection_pool import ConnectionPool, ConnectionSource
from raddle_lab.classes.data_source import DataSource


class SharedPoolDataSource(DataSource):
    """A source of connections with one pool for all users. Threads may share it."""

    def __init__(self) -> None:
        super().__init__()
        self._max_active = 8
        self._max_idle = 8
        self._max_wait = -1
        self._pool: ConnectionPool | None = None

    def get_max_active(self) -> int:
        return self._max_active

    def set_max_active(self, number: int) -> None:
        """Limit the number of connections in use. A negative number means that there is no limit."""
        self._check_configurable()
        self._max_active = number

    def get_max_idle(self) -> int:
        return self._max_idle

    def set_max_idle(self, number: int) -> None:
        """Limit the number of connections that are kept. A negative number means that there is no limit."""
        self._check_configurable()
        self._max_idle = number

    def get_max_wait(self) -> int:
        return self._max_wait

    def set_max_wait(self, milliseconds: int) -> None:
        self._check_configurable()
        self._max_wait = milliseconds

    def get_num_active(self) -> int:
        return 0 if self._pool is None else self._pool.num_active()

    def get_num_idle(self) -> int:
        return 0 if self._pool is None else self._pool.num_idle()

    def _pool_for(self, user: str | None, source: ConnectionSource) -> ConnectionPool:
        if self._pool is None:
            self._pool = ConnectionPool(source, max_active=self._max_active, max_idle=self._max_idle)
        return self._pool

    def _close_pools(self) -> None:
        if self._pool is not None:
            self._pool.close()
