"""The appenders of a logger."""

from __future__ import annotations

from typing import Protocol

from raddle_lab.classes.synchronized_list import SynchronizedList


class Appender(Protocol):
    """Writes the events of a logger, for example to a file."""

    def get_name(self) -> str: ...

    def do_append(self, event: object) -> None: ...

    def close(self) -> None: ...


class MemoryAppender:
    """Keeps the events that it receives until it is closed."""

    def __init__(self, name: str = "memory") -> None:
        self._name = name
        self._closed = False
        self.events: list[object] = []

    def get_name(self) -> str:
        return self._name

    def do_append(self, event: object) -> None:
        if not self._closed:
            self.events.append(event)

    def close(self) -> None:
        self._closed = True


class AppenderList:
    """The appenders that are attached to a logger.

    A list is meant to be shared: several threads may attach, detach and call appenders at the same time.
    """

    def __init__(self) -> None:
        self._appenders: SynchronizedList[Appender] | None = None  # None until an appender is added

    def add_appender(self, appender: Appender | None) -> None:
        """Attach an appender; do nothing if it is attached already or None."""
        if appender is None:
            return
        if self._appenders is None:
            self._appenders = SynchronizedList()
        if not self._appenders.contains(appender):
            self._appenders.append(appender)

    def append_loop_on_appenders(self, event: object) -> int:
        """Pass an event to all appenders, and return their number."""
        size = 0
        if self._appenders is not None:
            size = self._appenders.size()
            for index in range(size):
                self._appenders.element_at(index).do_append(event)
        return size

    def get_all_appenders(self) -> list[Appender]:
        """Return the appenders in the order in which they were attached."""
        if self._appenders is None:
            return []
        return self._appenders.snapshot()

    def get_appender(self, name: str) -> Appender | None:
        """Return the first appender with a name, or None."""
        if self._appenders is None:
            return None
        for index in range(self._appenders.size()):
            appender = self._appenders.element_at(index)
            if appender.get_name() == name:
                return appender
        return None

    def is_attached(self, appender: Appender) -> bool:
        if self._appenders is None:
            return False
        return self._appenders.contains(appender)

    def remove_appender(self, appender: Appender) -> None:
        """Detach an appender without closing it; do nothing if it is not attached."""
        if self._appenders is not None:
            self._appenders.remove(appender)

    def remove_appender_by_name(self, name: str) -> None:
        """Detach the first appender with a name without closing it; do nothing if there is none."""
        if self._appenders is not None:
            for index in range(self._appenders.size()):
                appender = self._appenders.element_at(index)
                if appender.get_name() == name:
                    self._appenders.remove(appender)
                    return

    def remove_all_appenders(self) -> None:
        """Close and detach all appenders."""
        if self._appenders is not None:
            for index in range(self._appenders.size()):
                self._appenders.element_at(index).close()
            self._appenders.remove_all()
            self._appenders = None
