"""A logger with a lock around all methods."""

from __future__ import annotations

from raddle_lab.classes import logger
from raddle_lab.classes.one_lock import synchronized


@synchronized
class Logger(logger.Logger):
    """A logger. Threads may share it."""
