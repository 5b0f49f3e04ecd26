"""A data source with a pool for each user."""

from __future__ import annotations

from raddle_lab.classes.connection_pool import ConnectionPool, ConnectionSource
from raddle_lab.classes.data_source import DataSource, checked_isolation


class PerUserPoolDataSource(DataSource):
    """A source of connections with a pool for each user. Threads may share it.

    Each user may have settings that replace the default ones.
    """

    def __init__(self) -> None:
        super().__init__()
        self._default_max_active = 8
        self._default_max_idle = 8
        self._default_max_wait = -1
        self._auto_commits: dict[str, bool] | None = None
        self._isolations: dict[str, int] | None = None
        self._read_onlys: dict[str, bool] | None = None
        self._max_actives: dict[str, int] | None = None
        self._max_idles: dict[str, int] | None = None
        self._max_waits: dict[str, int] | None = None
        self._pools: dict[str | None, ConnectionPool] = {}

    def get_default_max_active(self) -> int:
        return self._default_max_active

    def set_default_max_active(self, number: int) -> None:
        """Limit the connections that a user may use. A negative number means that there is no limit."""
        self._check_configurable()
        self._default_max_active = number

    def get_default_max_idle(self) -> int:
        return self._default_max_idle

    def set_default_max_idle(self, number: int) -> None:
        """Limit the connections that are kept for a user. A negative number means that there is no limit."""
        self._check_configurable()
        self._default_max_idle = number

    def get_default_max_wait(self) -> int:
        return self._default_max_wait

    def set_default_max_wait(self, milliseconds: int) -> None:
        self._check_configurable()
        self._default_max_wait = milliseconds

    def get_per_user_auto_commit(self, user: str) -> bool | None:
        """Return the user's setting, or None if the default one applies."""
        return None if self._auto_commits is None else self._auto_commits.get(user)

    def set_per_user_auto_commit(self, user: str, auto_commit: bool) -> None:
        self._check_configurable()
        if self._auto_commits is None:
            self._auto_commits = {}
        self._auto_commits[user] = auto_commit

    def get_per_user_transaction_isolation(self, user: str) -> int | None:
        """Return the user's setting, or None if the default one applies."""
        return None if self._isolations is None else self._isolations.get(user)

    def set_per_user_transaction_isolation(self, user: str, isolation: int) -> None:
        self._check_configurable()
        if self._isolations is None:
            self._isolations = {}
        self._isolations[user] = checked_isolation(isolation)

    def get_per_user_read_only(self, user: str) -> bool | None:
        """Return the user's setting, or None if the default one applies."""
        return None if self._read_onlys is None else self._read_onlys.get(user)

    def set_per_user_read_only(self, user: str, read_only: bool) -> None:
        self._check_configurable()
        if self._read_onlys is None:
            self._read_onlys = {}
        self._read_onlys[user] = read_only

    def get_per_user_max_active(self, user: str | None) -> int:
        if self._max_actives is None:
            return self._default_max_active
        return self._max_actives.get(user, self._default_max_active)

    def set_per_user_max_active(self, user: str, number: int) -> None:
        self._check_configurable()
        if self._max_actives is None:
            self._max_actives = {}
        self._max_actives[user] = number

    def get_per_user_max_idle(self, user: str | None) -> int:
        if self._max_idles is None:
            return self._default_max_idle
        return self._max_idles.get(user, self._default_max_idle)

    def set_per_user_max_idle(self, user: str, number: int) -> None:
        self._check_configurable()
        if self._max_idles is None:
            self._max_idles = {}
        self._max_idles[user] = number

    def get_per_user_max_wait(self, user: str | None) -> int:
        if self._max_waits is None:
            return self._default_max_wait
        return self._max_waits.get(user, self._default_max_wait)

    def set_per_user_max_wait(self, user: str, milliseconds: int) -> None:
        self._check_configurable()
        if self._max_waits is None:
            self._max_waits = {}
        self._max_waits[user] = milliseconds

    def get_num_active(self, user: str | None = None) -> int:
        pool = self._pools.get(user)
        return 0 if pool is None else pool.num_active()

    def get_num_idle(self, user: str | None = None) -> int:
        pool = self._pools.get(user)
        return 0 if pool is None else pool.num_idle()

    def _pool_for(self, user: str | None, source: ConnectionSource) -> ConnectionPool:
        pool = self._pools.get(user)
        if pool is None:
            max_active, max_idle = self.get_per_user_max_active(user), self.get_per_user_max_idle(user)
            pool = ConnectionPool(source, max_active=max_active, max_idle=max_idle)
            self._pools[user] = pool
        return pool

    def _close_pools(self) -> None:
        for pool in self._pools.values():
            pool.close()
