"""A logger with a level, a filter, handlers and a parent."""

from __future__ import annotations

import threading

from raddle_lab.classes.log_handler import Filter, Handler
from raddle_lab.classes.log_record import Level, LogRecord


class Logger:
    """A logger. Threads may share it.

    A record whose level is high enough, and which the filter accepts, goes to the logger's handlers and to those of
    its ancestors. A logger without a level of its own has the level of its parent, or else the level INFO.
    """

    _tree_lock = threading.RLock()  # held while parents and levels change

    def __init__(self, name: str | None = None, resource_bundle_name: str | None = None) -> None:
        self._lock = threading.RLock()
        self._name = name
        self._resource_bundle_name = resource_bundle_name
        self._handlers: list[Handler] | None = None
        self._use_parent_handlers = True
        self._filter: Filter | None = None
        self._parent: Logger | None = None
        self._children: list[Logger] = []
        self._level: Level | None = None
        self._effective_level = Level.INFO

    def log_record(self, record: LogRecord) -> None:
        """Log a record."""
        if not self.is_loggable(record.level):
            return
        with self._lock:
            if self.get_filter() is not None and not self.get_filter().is_loggable(record):
                return
        logger: Logger | None = self
        while logger is not None:
            for handler in logger.get_handlers():
                handler.publish(record)
            logger = logger.get_parent() if logger.get_use_parent_handlers() else None

    def log(self, level: Level, message: str) -> None:
        """Log a message."""
        if self.is_loggable(level):
            self.log_record(LogRecord(level, message, self._name))

    def log_with_parameter(self, level: Level, message: str, parameter: object) -> None:
        """Log a message with a parameter."""
        if self.is_loggable(level):
            self.log_record(LogRecord(level, message, self._name, parameters=(parameter,)))

    def log_with_error(self, level: Level, message: str, error: BaseException | None) -> None:
        """Log a message with an exception."""
        if self.is_loggable(level):
            self.log_record(LogRecord(level, message, self._name, error=error))

    def log_from(self, level: Level, source_class: str, source_method: str, message: str) -> None:
        """Log a message from a method."""
        if self.is_loggable(level):
            self.log_record(LogRecord(level, message, self._name, source_class, source_method))

    def severe(self, message: str) -> None:
        self.log(Level.SEVERE, message)

    def warning(self, message: str) -> None:
        self.log(Level.WARNING, message)

    def info(self, message: str) -> None:
        self.log(Level.INFO, message)

    def config(self, message: str) -> None:
        self.log(Level.CONFIG, message)

    def fine(self, message: str) -> None:
        self.log(Level.FINE, message)

    def finer(self, message: str) -> None:
        self.log(Level.FINER, message)

    def finest(self, message: str) -> None:
        self.log(Level.FINEST, message)

    def entering(self, source_class: str, source_method: str) -> None:
        """Log at level FINER that a method was entered."""
        self.log_from(Level.FINER, source_class, source_method, "ENTRY")

    def exiting(self, source_class: str, source_method: str) -> None:
        """Log at level FINER that a method returned."""
        self.log_from(Level.FINER, source_class, source_method, "RETURN")

    def throwing(self, source_class: str, source_method: str, error: BaseException | None) -> None:
        """Log at level FINER that a method raised an exception."""
        if self.is_loggable(Level.FINER):
            self.log_record(LogRecord(Level.FINER, "THROW", self._name, source_class, source_method, error=error))

    def is_loggable(self, level: Level) -> bool:
        """Return whether the logger's level lets messages of the level pass."""
        return self._effective_level != Level.OFF and level >= self._effective_level

    def get_name(self) -> str | None:
        return self._name

    def is_anonymous(self) -> bool:
        return self._name is None

    def get_resource_bundle_name(self) -> str | None:
        return self._resource_bundle_name

    def get_filter(self) -> Filter | None:
        return self._filter

    def set_filter(self, new_filter: Filter | None) -> None:
        """Set the filter, or remove it."""
        self._filter = new_filter

    def get_level(self) -> Level | None:
        """Return the logger's own level, or None if the level of its parent applies."""
        return self._level

    def set_level(self, level: Level | None) -> None:
        """Set the level, or None to use the level of the parent."""
        with self._tree_lock:
            self._level = level
            self._update_effective_level()

    def get_effective_level(self) -> Level:
        return self._effective_level

    def add_handler(self, handler: Handler) -> None:
        if handler is None:
            raise ValueError("the handler must not be None")
        with self._lock:
            if self._handlers is None:
                self._handlers = []
            self._handlers.append(handler)

    def remove_handler(self, handler: Handler) -> None:
        """Remove the handler if the logger has it."""
        with self._lock:
            if self._handlers is not None and handler in self._handlers:
                self._handlers.remove(handler)

    def get_handlers(self) -> list[Handler]:
        with self._lock:
            return [] if self._handlers is None else list(self._handlers)

    def get_use_parent_handlers(self) -> bool:
        with self._lock:
            return self._use_parent_handlers

    def set_use_parent_handlers(self, use: bool) -> None:
        """Set whether records also go to the handlers of the parent."""
        with self._lock:
            self._use_parent_handlers = use

    def get_parent(self) -> Logger | None:
        with self._tree_lock:
            return self._parent

    def set_parent(self, parent: Logger) -> None:
        """Set the parent, which must not be the logger itself or one of its descendants."""
        if parent is None:
            raise ValueError("the parent must not be None")
        with self._tree_lock:
            ancestor: Logger | None = parent
            while ancestor is not None:
                if ancestor is self:
                    raise ValueError("a logger cannot be its own ancestor")
                ancestor = ancestor._parent
            if self._parent is not None:
                self._parent._children.remove(self)
            self._parent = parent
            parent._children.append(self)
            self._update_effective_level()

    def _update_effective_level(self) -> None:
        if self._level is not None:
            self._effective_level = self._level
        elif self._parent is not None:
            self._effective_level = self._parent._effective_level
        else:
            self._effective_level = Level.INFO
        for child in self._children:
            child._update_effective_level()
