"""The settings that all pooled data sources have in common."""

from __future__ import annotations

from dataclasses import dataclass

from raddle_lab.classes.connection_pool import ConnectionPool, ConnectionSource, PooledConnection
from raddle_lab.classes.data_source_registry import REGISTRY, DataSourceRegistry

ISOLATION_UNKNOWN = -1
ISOLATION_LEVELS = (0, 1, 2, 4, 8)  # none, read uncommitted, read committed, repeatable read, serializable


@dataclass(frozen=True, slots=True)
class Reference:
    """Names a data source in the registry."""

    class_name: str
    instance_key: str | None


class DataSource:
    """A source of pooled connections. Threads may share it.

    Connections come from a connection source, or from the source that the environment contains under a given name. A
    configured data source has a key in the registry. After the first connection has been requested, the settings can
    no longer be changed: methods that change them raise ValueError.
    """

    _registry: DataSourceRegistry = REGISTRY

    def __init__(self) -> None:
        self._is_connected = False
        self._source: ConnectionSource | None = None
        self._source_name: str | None = None
        self._instance_key: str | None = None
        self._environment: dict[str, ConnectionSource] | None = None
        self._default_auto_commit = True
        self._default_transaction_isolation = ISOLATION_UNKNOWN
        self._default_read_only = False
        self._description: str | None = None
        self._login_timeout = 0
        self._test_on_borrow = False
        self._test_on_return = False
        self._test_while_idle = False
        self._eviction_interval = -1
        self._tests_per_eviction_run = 3
        self._min_idle_time = 1_800_000
        self._validation_query: str | None = None
        self._rollback_after_validation = False

    def get_connection(self, user: str | None = None, password: str | None = None) -> PooledConnection:
        """Return a connection from a pool. Raise ValueError if there is no source or the pool has none left."""
        self._is_connected = True
        source = self._find_source()
        if source is None:
            raise ValueError("the data source has no connection source")
        return self._pool_for(user, source).borrow(user, password)

    def close(self) -> None:
        """Close the idle connections and remove the data source from the registry."""
        self._close_pools()
        self._registry.remove(self._instance_key)

    def get_reference(self) -> Reference:
        return Reference(type(self).__name__, self._instance_key)

    def get_connection_source(self) -> ConnectionSource | None:
        return self._source

    def set_connection_source(self, source: ConnectionSource | None) -> None:
        """Set the source of the connections and add the data source to the registry."""
        self._check_configurable()
        if self._source_name is not None:
            raise ValueError(f"connections already come from the source named {self._source_name!r}")
        if self._source is not None:
            raise ValueError("the connection source is already set")
        self._source = source
        self._instance_key = self._registry.register(self)

    def get_data_source_name(self) -> str | None:
        return self._source_name

    def set_data_source_name(self, name: str | None) -> None:
        """Set the name of the source in the environment and add the data source to the registry."""
        self._check_configurable()
        if self._source is not None:
            raise ValueError("connections already come from a connection source")
        if self._source_name is not None:
            raise ValueError(f"the name is already set to {self._source_name!r}")
        self._source_name = name
        self._instance_key = self._registry.register(self)

    def get_environment(self, name: str) -> ConnectionSource | None:
        return None if self._environment is None else self._environment.get(name)

    def set_environment(self, name: str, source: ConnectionSource) -> None:
        """Add a source that `set_data_source_name` can name."""
        self._check_configurable()
        if self._environment is None:
            self._environment = {}
        self._environment[name] = source

    def is_default_auto_commit(self) -> bool:
        return self._default_auto_commit

    def set_default_auto_commit(self, auto_commit: bool) -> None:
        self._check_configurable()
        self._default_auto_commit = auto_commit

    def get_default_transaction_isolation(self) -> int:
        """Return the isolation level of new connections, or -1 if the database's default applies."""
        return self._default_transaction_isolation

    def set_default_transaction_isolation(self, isolation: int) -> None:
        self._check_configurable()
        self._default_transaction_isolation = checked_isolation(isolation)

    def is_default_read_only(self) -> bool:
        return self._default_read_only

    def set_default_read_only(self, read_only: bool) -> None:
        self._check_configurable()
        self._default_read_only = read_only

    def get_description(self) -> str | None:
        return self._description

    def set_description(self, description: str | None) -> None:
        self._description = description

    def get_login_timeout(self) -> int:
        return self._login_timeout

    def set_login_timeout(self, seconds: int) -> None:
        if seconds < 0:
            raise ValueError(f"the timeout is {seconds} seconds, but must not be negative")
        self._login_timeout = seconds

    def is_test_on_borrow(self) -> bool:
        return self._test_on_borrow

    def set_test_on_borrow(self, test: bool) -> None:
        self._check_configurable()
        self._test_on_borrow = test

    def is_test_on_return(self) -> bool:
        return self._test_on_return

    def set_test_on_return(self, test: bool) -> None:
        self._check_configurable()
        self._test_on_return = test

    def is_test_while_idle(self) -> bool:
        return self._test_while_idle

    def set_test_while_idle(self, test: bool) -> None:
        self._check_configurable()
        self._test_while_idle = test

    def get_eviction_interval(self) -> int:
        """Return the milliseconds between two searches for connections to close, or -1 if there are none."""
        return self._eviction_interval

    def set_eviction_interval(self, milliseconds: int) -> None:
        self._check_configurable()
        self._eviction_interval = milliseconds

    def get_tests_per_eviction_run(self) -> int:
        return self._tests_per_eviction_run

    def set_tests_per_eviction_run(self, number: int) -> None:
        self._check_configurable()
        self._tests_per_eviction_run = number

    def get_min_idle_time(self) -> int:
        """Return the milliseconds for which a connection must be idle before it may be closed."""
        return self._min_idle_time

    def set_min_idle_time(self, milliseconds: int) -> None:
        self._check_configurable()
        self._min_idle_time = milliseconds

    def get_validation_query(self) -> str | None:
        return self._validation_query

    def set_validation_query(self, query: str | None) -> None:
        self._check_configurable()
        self._validation_query = query

    def is_rollback_after_validation(self) -> bool:
        return self._rollback_after_validation

    def set_rollback_after_validation(self, rollback: bool) -> None:
        self._check_configurable()
        self._rollback_after_validation = rollback

    def _check_configurable(self) -> None:
        if self._is_connected:
            raise ValueError("the data source cannot be changed after a connection has been requested")

    def _find_source(self) -> ConnectionSource | None:
        if self._source_name is not None and self._environment is not None:
            return self._environment.get(self._source_name)
        return self._source

    def _pool_for(self, user: str | None, source: ConnectionSource) -> ConnectionPool:
        """Return the pool for connections of the user. Create it if necessary."""
        raise NotImplementedError

    def _close_pools(self) -> None:
        raise NotImplementedError


def checked_isolation(isolation: int) -> int:
    """Return the isolation level. Raise ValueError if there is no such level."""
    if isolation not in ISOLATION_LEVELS:
        raise ValueError(f"the isolation level is {isolation}, but must be one of {ISOLATION_LEVELS}")
    return isolation
