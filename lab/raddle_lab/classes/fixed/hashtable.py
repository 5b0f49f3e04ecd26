"""A hash table with a lock around all methods."""

from __future__ import annotations

from raddle_lab.classes import hashtable
from raddle_lab.classes.one_lock import synchronized


@synchronized
class Hashtable(hashtable.Hashtable):
    """A hash table. Threads may share it."""
