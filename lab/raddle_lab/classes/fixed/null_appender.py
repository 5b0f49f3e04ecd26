"""An appender that writes nothing."""

from __future__ import annotations

from raddle_lab.classes import null_appender
from raddle_lab.classes.appender_skeleton import Filter, Priority


class NullAppender(null_appender.NullAppender):
    """An appender that reads its threshold once, and changes its chain of filters under its lock."""

    def is_as_severe_as_threshold(self, priority: Priority) -> bool:
        threshold = self.get_threshold()
        return threshold is None or priority.is_greater_or_equal(threshold)

    def add_filter(self, added: Filter) -> None:
        with self._lock:
            super().add_filter(added)

    def clear_filters(self) -> None:
        with self._lock:
            super().clear_filters()


NullAppender.instance = NullAppender()
