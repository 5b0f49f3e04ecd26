"""A list of appenders whose calls exclude each other."""

from __future__ import annotations

from raddle_lab.classes import appender_list
from raddle_lab.classes.one_lock import synchronized


@synchronized
class AppenderList(appender_list.AppenderList):
    """A list of appenders with a lock that each method holds."""
