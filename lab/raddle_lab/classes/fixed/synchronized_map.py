"""A dictionary wrapper whose instances share one lock."""

from __future__ import annotations

from raddle_lab.classes import synchronized_map
from raddle_lab.classes.one_lock import synchronized


@synchronized
class SynchronizedMap(synchronized_map.SynchronizedMap):
    """Wraps a dictionary so that threads may share it."""
