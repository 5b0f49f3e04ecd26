"""A mutable string with a lock around all methods."""

from __future__ import annotations

from raddle_lab.classes import string_buffer
from raddle_lab.classes.one_lock import synchronized


@synchronized
class StringBuffer(string_buffer.StringBuffer):
    """A mutable string. Threads may share it."""
