"""Periods of fixed length, for example days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

HOUR_MS = 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class TimePeriod:
    """The period with a given number; period 0 starts in 1970. Milliseconds count from the start of 1970 in UTC."""

    index: int
    length_ms: ClassVar[int] = 1

    @classmethod
    def containing(cls, milliseconds: float, offset_hours: int = 0) -> TimePeriod:
        """Return the period that contains a moment."""
        return cls(int((milliseconds + offset_hours * HOUR_MS) // cls.length_ms))

    def first_ms(self, offset_hours: int = 0) -> int:
        return self.index * self.length_ms - offset_hours * HOUR_MS

    def last_ms(self, offset_hours: int = 0) -> int:
        return self.first_ms(offset_hours) + self.length_ms - 1

    def next(self) -> TimePeriod:
        return type(self)(self.index + 1)

    def previous(self) -> TimePeriod:
        return type(self)(self.index - 1)


class HourPeriod(TimePeriod):
    """One hour."""

    length_ms = HOUR_MS


class DayPeriod(TimePeriod):
    """One day."""

    length_ms = 24 * HOUR_MS


class WeekPeriod(TimePeriod):
    """Seven days; week 0 starts on a Thursday."""

    length_ms = 7 * 24 * HOUR_MS
