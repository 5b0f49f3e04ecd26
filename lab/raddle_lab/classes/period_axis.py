"""Axes of charts that show time in whole periods."""

from __future__ import annotations

from raddle_lab.classes.time_period import DayPeriod, HourPeriod, TimePeriod, WeekPeriod
from raddle_lab.classes.validation import at_least_zero
from raddle_lab.classes.value_axis import ValueAxis
from raddle_lab.classes.value_range import Range

DEFAULT_PERIOD = DayPeriod(20_000)
MAXIMUM_TICKS = 500


class PeriodAxis(ValueAxis):
    """An axis from the start of one period to the end of another.

    An axis is meant to be shared: several threads may change it, read it and listen to its changes at the same time.
    The range is in milliseconds since the start of 1970. The first period never ends after the last one.
    """

    def __init__(
        self, label: str | None = None, first: TimePeriod = DEFAULT_PERIOD, last: TimePeriod = DEFAULT_PERIOD
    ) -> None:
        super().__init__(label)
        self._time_zone = 0
        self._check_order(first, last)
        self._first = first
        self._last = last
        self._auto_range_period_class: type[TimePeriod] = type(first)
        self._major_period_class: type[TimePeriod] = WeekPeriod
        self._minor_period_class: type[TimePeriod] = HourPeriod
        self._minor_tick_marks_visible = True
        self._minor_tick_mark_inside_length = 0.0
        self._minor_tick_mark_outside_length = 2.0
        self._minor_tick_mark_stroke = 0.5
        self._minor_tick_mark_paint = "black"
        self._label_info: tuple[str, ...] = ("day",)

    def get_auto_range_period_class(self) -> type[TimePeriod]:
        return self._auto_range_period_class

    def set_auto_range_period_class(self, period_class: type[TimePeriod]) -> None:
        self._auto_range_period_class = period_class
        self._changed()

    def get_major_period_class(self) -> type[TimePeriod]:
        return self._major_period_class

    def set_major_period_class(self, period_class: type[TimePeriod]) -> None:
        self._major_period_class = period_class
        self._changed()

    def get_minor_period_class(self) -> type[TimePeriod]:
        return self._minor_period_class

    def set_minor_period_class(self, period_class: type[TimePeriod]) -> None:
        self._minor_period_class = period_class
        self._changed()

    def is_minor_tick_marks_visible(self) -> bool:
        return self._minor_tick_marks_visible

    def set_minor_tick_marks_visible(self, flag: bool) -> None:
        self._minor_tick_marks_visible = flag
        self._changed()

    def get_minor_tick_mark_inside_length(self) -> float:
        return self._minor_tick_mark_inside_length

    def set_minor_tick_mark_inside_length(self, length: float) -> None:
        self._minor_tick_mark_inside_length = at_least_zero("minor tick mark inside length", length)
        self._changed()

    def get_minor_tick_mark_outside_length(self) -> float:
        return self._minor_tick_mark_outside_length

    def set_minor_tick_mark_outside_length(self, length: float) -> None:
        self._minor_tick_mark_outside_length = at_least_zero("minor tick mark outside length", length)
        self._changed()

    def get_minor_tick_mark_stroke(self) -> float:
        return self._minor_tick_mark_stroke

    def set_minor_tick_mark_stroke(self, stroke: float) -> None:
        self._minor_tick_mark_stroke = at_least_zero("minor tick mark stroke", stroke)
        self._changed()

    def get_minor_tick_mark_paint(self) -> str:
        return self._minor_tick_mark_paint

    def set_minor_tick_mark_paint(self, paint: str) -> None:
        self._minor_tick_mark_paint = paint
        self._changed()

    def get_label_info(self) -> tuple[str, ...]:
        return self._label_info

    def set_label_info(self, info: tuple[str, ...]) -> None:
        self._label_info = info
        self._changed()

    def get_first(self) -> TimePeriod:
        return self._first

    def set_first(self, first: TimePeriod) -> None:
        """Set the first period; raise ValueError if it starts after the last period ends."""
        self._check_order(first, self.get_last())
        self._first = first
        self._changed()

    def get_last(self) -> TimePeriod:
        return self._last

    def set_last(self, last: TimePeriod) -> None:
        """Set the last period; raise ValueError if it ends before the first period starts."""
        self._check_order(self.get_first(), last)
        self._last = last
        self._changed()

    def get_time_zone(self) -> int:
        """Return the number of hours by which local time is ahead of UTC."""
        return self._time_zone

    def set_time_zone(self, hours: int) -> None:
        if not -12 <= hours <= 14:
            raise ValueError(f"the offset must be between -12 and 14 hours, not {hours}")
        self._time_zone = hours
        self._changed()

    def get_range(self) -> Range:
        zone = self._time_zone
        return Range(self._first.first_ms(zone), self._last.last_ms(zone))

    def set_range(self, new_range: Range, *, turn_off_auto_range: bool = True) -> None:
        """Show the periods that contain the bounds of a range."""
        super().set_range(new_range, turn_off_auto_range=turn_off_auto_range)
        self._first = self._period_at(new_range.lower())
        self._last = self._period_at(new_range.upper())

    def refresh_ticks(self) -> list[int]:
        """Return the starts of the major periods in milliseconds; there are none if there would be too many."""
        shown, kind, zone = self.get_range(), self.get_major_period_class(), self._time_zone
        first, last = kind.containing(shown.lower(), zone), kind.containing(shown.upper(), zone)
        if last.index - first.index >= MAXIMUM_TICKS:
            return []
        starts = (kind(index).first_ms(zone) for index in range(first.index, last.index + 1))
        return [start for start in starts if shown.contains(start)]

    def _period_at(self, milliseconds: float) -> TimePeriod:
        return self._auto_range_period_class.containing(milliseconds, self._time_zone)

    def _check_order(self, first: TimePeriod, last: TimePeriod) -> None:
        if first.first_ms() > last.last_ms():
            raise ValueError(f"{first} starts after the end of {last}")
