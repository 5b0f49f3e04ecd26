"""An appender that writes nothing."""

from __future__ import annotations

from typing import ClassVar

from raddle_lab.classes.appender_skeleton import AppenderSkeleton, LogEvent


class NullAppender(AppenderSkeleton):
    """An appender that drops all events; it has the settings of all appenders.

    An appender is meant to be shared: several threads may change its settings and use it at the same time.
    """

    instance: ClassVar[NullAppender]

    @classmethod
    def get_instance(cls) -> NullAppender:
        """Return the appender that all loggers without output share."""
        return cls.instance

    def do_append(self, event: LogEvent) -> None:
        """Drop the event."""

    def close(self) -> None:
        """Do nothing, because there is nothing to close."""


NullAppender.instance = NullAppender()
