"""A map that several threads can change at the same time, with a lock around all methods."""

from __future__ import annotations

from raddle_lab.classes import concurrent_hash_map
from raddle_lab.classes.one_lock import synchronized


@synchronized
class ConcurrentHashMap(concurrent_hash_map.ConcurrentHashMap):
    """A map. Threads may share it."""
