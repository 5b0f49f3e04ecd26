"""A data source with one pool for all users, and a lock around its methods and the registry."""

from __future__ import annotations

from raddle_lab.classes import shared_pool_data_source
from raddle_lab.classes.fixed.data_source_registry import REGISTRY
from raddle_lab.classes.one_lock import synchronized


@synchronized
class SharedPoolDataSource(shared_pool_data_source.SharedPoolDataSource):
    """A source of connections with one pool for all users. Threads may share it."""

    _registry = REGISTRY
