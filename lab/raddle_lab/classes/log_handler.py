"""Filters and handlers of log records."""

from __future__ import annotations

from typing import Protocol

from raddle_lab.classes.log_record import Level, LogRecord


class Filter(Protocol):
    """Decides which records are logged."""

    def is_loggable(self, record: LogRecord) -> bool: ...


class AcceptAll:
    """Accepts all records."""

    def is_loggable(self, record: LogRecord) -> bool:
        return True


class MinimumLevel:
    """Accepts records of a level or above it."""

    def __init__(self, level: Level) -> None:
        self._level = level

    def is_loggable(self, record: LogRecord) -> bool:
        return record.level >= self._level


class Handler(Protocol):
    """Publishes records."""

    def publish(self, record: LogRecord) -> None: ...


class MemoryHandler:
    """Keeps the messages of all records."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def publish(self, record: LogRecord) -> None:
        self.messages.append(record.message)
