"""Log levels and records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """The importance of a message. OFF is more important than all messages."""

    ALL = 0
    FINEST = 300
    FINER = 400
    FINE = 500
    CONFIG = 700
    INFO = 800
    WARNING = 900
    SEVERE = 1000
    OFF = 10_000


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A message and where it comes from."""

    level: Level
    message: str
    logger_name: str | None = None
    source_class: str | None = None
    source_method: str | None = None
    parameters: tuple[object, ...] = ()
    error: BaseException | None = None
