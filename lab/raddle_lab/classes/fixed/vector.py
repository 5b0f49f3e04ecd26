"""A growable array with a lock around all methods."""

from __future__ import annotations

from raddle_lab.classes import vector
from raddle_lab.classes.one_lock import synchronized


@synchronized
class Vector(vector.Vector):
    """A growable array of objects. Threads may share it."""
