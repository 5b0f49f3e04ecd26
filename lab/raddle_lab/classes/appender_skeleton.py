"""What all appenders of a log have in common: threshold, filters, layout and error handler."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Priority:
    """The importance of an event."""

    level: int
    name: str = ""

    DEBUG: ClassVar[Priority]
    INFO: ClassVar[Priority]
    WARN: ClassVar[Priority]
    ERROR: ClassVar[Priority]

    def is_greater_or_equal(self, other: Priority) -> bool:
        return self.level >= other.level


Priority.DEBUG = Priority(10, "DEBUG")
Priority.INFO = Priority(20, "INFO")
Priority.WARN = Priority(30, "WARN")
Priority.ERROR = Priority(40, "ERROR")


@dataclass(frozen=True, slots=True)
class LogEvent:
    """A message with its priority."""

    message: str
    priority: Priority = Priority.INFO


class Decision(Enum):
    """What a filter says about an event."""

    DENY = "deny"
    NEUTRAL = "neutral"
    ACCEPT = "accept"


class Filter:
    """Denies events below a priority, and leaves other events to the next filter of the chain."""

    def __init__(self, minimum: Priority = Priority.DEBUG) -> None:
        self.minimum = minimum
        self.next: Filter | None = None

    def decide(self, event: LogEvent) -> Decision:
        return Decision.NEUTRAL if event.priority.is_greater_or_equal(self.minimum) else Decision.DENY


class ErrorHandler:
    """Keeps the errors of an appender."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def error(self, message: str) -> None:
        self.errors.append(message)


class Layout:
    """Formats events as lines."""

    def __init__(self, header: str = "", footer: str = "") -> None:
        self.header = header
        self.footer = footer

    def format(self, event: LogEvent) -> str:
        return f"{event.priority.name} {event.message}\n"


class AppenderSkeleton:
    """Decides which events an appender writes; subclasses write them."""

    def __init__(self, layout: Layout | None = None) -> None:
        self._lock = threading.RLock()
        self._layout = layout
        self._name: str | None = None
        self._threshold: Priority | None = None
        self._error_handler = ErrorHandler()
        self._head_filter: Filter | None = None
        self._tail_filter: Filter | None = None
        self._closed = False

    def activate_options(self) -> None:
        """Put changed settings into effect; most appenders have nothing to do."""

    def get_name(self) -> str | None:
        return self._name

    def set_name(self, name: str | None) -> None:
        self._name = name

    def get_layout(self) -> Layout | None:
        return self._layout

    def set_layout(self, layout: Layout | None) -> None:
        self._layout = layout

    def requires_layout(self) -> bool:
        """Return whether the appender cannot write without a layout."""
        return False

    def get_threshold(self) -> Priority | None:
        return self._threshold

    def set_threshold(self, threshold: Priority | None) -> None:
        """Ignore events below a priority; None means that no event is ignored."""
        self._threshold = threshold

    def is_as_severe_as_threshold(self, priority: Priority) -> bool:
        """Return whether events of a priority are not ignored."""
        return self.get_threshold() is None or priority.is_greater_or_equal(self.get_threshold())

    def get_error_handler(self) -> ErrorHandler:
        return self._error_handler

    def set_error_handler(self, handler: ErrorHandler | None) -> None:
        """Set the error handler; None is ignored."""
        with self._lock:
            if handler is not None:
                self._error_handler = handler

    def add_filter(self, added: Filter) -> None:
        """Add a filter to the end of the chain; raise ValueError if it is already part of one."""
        if added.next is not None or added is self._tail_filter:
            raise ValueError("the filter is already part of a chain")
        if self._head_filter is None:
            self._tail_filter = added
            self._head_filter = added
        else:
            self._tail_filter.next = added
            self._tail_filter = added

    def clear_filters(self) -> None:
        """Remove all filters."""
        self._tail_filter = None
        self._head_filter = None

    def get_filter(self) -> Filter | None:
        return self._head_filter

    def get_first_filter(self) -> Filter | None:
        return self._head_filter

    def is_closed(self) -> bool:
        return self._closed

    def do_append(self, event: LogEvent) -> None:
        """Write an event, unless the threshold or a filter excludes it."""
        with self._lock:
            if self._closed:
                self._error_handler.error("the appender is closed")
                return
            if self.is_as_severe_as_threshold(event.priority) and self._is_accepted(event):
                self.append(event)

    def append(self, event: LogEvent) -> None:
        """Write an event; subclasses say how."""

    def close(self) -> None:
        """Stop writing events."""
        with self._lock:
            self._closed = True

    def release(self) -> None:
        """Close the appender if it is still open."""
        if not self.is_closed():
            self.close()

    def _is_accepted(self, event: LogEvent) -> bool:
        current = self._head_filter
        while current is not None:
            decision = current.decide(event)
            if decision is not Decision.NEUTRAL:
                return decision is Decision.ACCEPT
            current = current.next
        return True
