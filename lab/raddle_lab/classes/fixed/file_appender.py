"""A file appender whose calls exclude each other."""

from __future__ import annotations

from raddle_lab.classes import file_appender
from raddle_lab.classes.one_lock import synchronized


@synchronized
class FileAppender(file_appender.FileAppender):
    """A file appender with a lock that each method holds."""
