"""Numeric axes of charts."""

from __future__ import annotations

import math

from raddle_lab.classes.validation import above_zero
from raddle_lab.classes.value_axis import ValueAxis
from raddle_lab.classes.value_range import Range

MAXIMUM_TICKS = 500
MAXIMUM_STANDARD_TICKS = 12
STANDARD_TICK_UNITS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0)


class NumberAxis(ValueAxis):
    """An axis that shows numbers.

    An axis is meant to be shared: several threads may change it, read it and listen to its changes at the same time.
    The lower bound of its range is never above the upper bound.
    """

    def __init__(self, label: str | None = None) -> None:
        super().__init__(label)
        self._auto_range_includes_zero = True
        self._auto_range_sticky_zero = True
        self._tick_unit = 1.0
        self._standard_tick_units = STANDARD_TICK_UNITS
        self._number_format: str | None = None
        self._marker_band: Range | None = None

    def is_auto_range_includes_zero(self) -> bool:
        return self._auto_range_includes_zero

    def set_auto_range_includes_zero(self, flag: bool) -> None:
        self._auto_range_includes_zero = flag
        self._changed()

    def is_auto_range_sticky_zero(self) -> bool:
        return self._auto_range_sticky_zero

    def set_auto_range_sticky_zero(self, flag: bool) -> None:
        self._auto_range_sticky_zero = flag
        self._changed()

    def get_number_format(self) -> str | None:
        return self._number_format

    def set_number_format(self, number_format: str | None) -> None:
        """Set the format of the texts at ticks, for example ".2f"; raise ValueError if it is not one for numbers."""
        format(0.0, number_format or "")
        self._number_format = number_format
        self._changed()

    def get_marker_band(self) -> Range | None:
        return self._marker_band

    def set_marker_band(self, band: Range | None) -> None:
        self._marker_band = band
        self._changed()

    def get_tick_unit(self) -> float:
        return self._tick_unit

    def set_tick_unit(self, unit: float) -> None:
        """Set the distance between ticks, and stop choosing it automatically."""
        self._tick_unit = above_zero("tick unit", unit)
        self._auto_tick_unit_selection = False
        self._changed()

    def get_standard_tick_units(self) -> tuple[float, ...]:
        return self._standard_tick_units

    def set_standard_tick_units(self, units: tuple[float, ...]) -> None:
        """Set the distances between ticks from which one is chosen automatically."""
        self._standard_tick_units = tuple(sorted(above_zero("tick unit", unit) for unit in units))
        self._changed()

    def select_auto_tick_unit(self) -> float:
        """Choose the smallest standard distance that gives few ticks, and return it."""
        length = self.get_range().length()
        fitting = [unit for unit in self._standard_tick_units if length / unit <= MAXIMUM_STANDARD_TICKS]
        if fitting:
            self._tick_unit = fitting[0]
            self._changed()
        return self._tick_unit

    def calculate_lowest_visible_tick_value(self) -> float:
        unit = self.get_tick_unit()
        return math.ceil(self.get_range().lower() / unit) * unit

    def calculate_highest_visible_tick_value(self) -> float:
        unit = self.get_tick_unit()
        return math.floor(self.get_range().upper() / unit) * unit

    def calculate_visible_tick_count(self) -> int:
        unit, shown = self.get_tick_unit(), self.get_range()
        return math.floor(shown.upper() / unit) - math.ceil(shown.lower() / unit) + 1

    def refresh_ticks(self) -> list[str]:
        """Return the texts at the ticks; there are none if the ticks would be too close to each other."""
        unit, shown = self.get_tick_unit(), self.get_range()
        first, last = math.ceil(shown.lower() / unit), math.floor(shown.upper() / unit)
        if last - first >= MAXIMUM_TICKS:
            return []
        number_format = self.get_number_format() or "g"
        return [format(float(number * unit), number_format) for number in range(first, last + 1)]

    def _wanted_range(self, data_range: Range) -> Range:
        if self._auto_range_includes_zero:
            return data_range.combined(Range(0.0, 0.0))
        return data_range
