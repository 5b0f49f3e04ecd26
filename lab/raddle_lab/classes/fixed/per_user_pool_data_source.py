"""A data source with a pool for each user, and a lock around its methods and the registry."""

from __future__ import annotations

from raddle_lab.classes import per_user_pool_data_source
from raddle_lab.classes.fixed.data_source_registry import REGISTRY
from raddle_lab.classes.one_lock import synchronized


@synchronized
class PerUserPoolDataSource(per_user_pool_data_source.PerUserPoolDataSource):
    """A source of connections with a pool for each user. Threads may share it."""

    _registry = REGISTRY
