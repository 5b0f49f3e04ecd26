"""Base class of axes that show a range of numbers."""

from __future__ import annotations

from raddle_lab.classes.axis import Axis
from raddle_lab.classes.validation import above_zero, at_least_zero
from raddle_lab.classes.value_range import Range

DEFAULT_RANGE = Range(0.0, 1.0)


class ValueAxis(Axis):
    """An axis with a range that callers set, or that follows the data of the plot."""

    def __init__(self, label: str | None = None) -> None:
        super().__init__(label)
        self._range = DEFAULT_RANGE
        self._auto_range = True
        self._auto_range_minimum_size = 1e-8
        self._default_auto_range = DEFAULT_RANGE
        self._fixed_auto_range = 0.0
        self._lower_margin = 0.05
        self._upper_margin = 0.05
        self._inverted = False
        self._vertical_tick_labels = False
        self._auto_tick_unit_selection = True
        self._positive_arrow_visible = False
        self._negative_arrow_visible = False

    def is_inverted(self) -> bool:
        return self._inverted

    def set_inverted(self, flag: bool) -> None:
        self._inverted = flag
        self._changed()

    def is_vertical_tick_labels(self) -> bool:
        return self._vertical_tick_labels

    def set_vertical_tick_labels(self, flag: bool) -> None:
        self._vertical_tick_labels = flag
        self._changed()

    def is_auto_tick_unit_selection(self) -> bool:
        return self._auto_tick_unit_selection

    def set_auto_tick_unit_selection(self, flag: bool) -> None:
        self._auto_tick_unit_selection = flag
        self._changed()

    def is_positive_arrow_visible(self) -> bool:
        return self._positive_arrow_visible

    def set_positive_arrow_visible(self, flag: bool) -> None:
        self._positive_arrow_visible = flag
        self._changed()

    def is_negative_arrow_visible(self) -> bool:
        return self._negative_arrow_visible

    def set_negative_arrow_visible(self, flag: bool) -> None:
        self._negative_arrow_visible = flag
        self._changed()

    def get_lower_margin(self) -> float:
        return self._lower_margin

    def set_lower_margin(self, margin: float) -> None:
        self._lower_margin = at_least_zero("lower margin", margin)
        self._changed()

    def get_upper_margin(self) -> float:
        return self._upper_margin

    def set_upper_margin(self, margin: float) -> None:
        self._upper_margin = at_least_zero("upper margin", margin)
        self._changed()

    def get_auto_range_minimum_size(self) -> float:
        return self._auto_range_minimum_size

    def set_auto_range_minimum_size(self, size: float) -> None:
        self._auto_range_minimum_size = above_zero("auto range minimum size", size)
        self._changed()

    def get_fixed_auto_range(self) -> float:
        return self._fixed_auto_range

    def set_fixed_auto_range(self, value: float) -> None:
        self._fixed_auto_range = at_least_zero("fixed auto range", value)
        self._changed()

    def get_default_auto_range(self) -> Range:
        return self._default_auto_range

    def set_default_auto_range(self, value: Range) -> None:
        self._default_auto_range = value
        self._changed()

    def is_auto_range(self) -> bool:
        return self._auto_range

    def set_auto_range(self, flag: bool) -> None:
        """Choose whether the range follows the data."""
        self._auto_range = flag
        if flag:
            self.auto_adjust_range()
        self._changed()

    def configure(self) -> None:
        """Adjust the range to the data of the plot, if it follows the data."""
        if self.is_auto_range():
            self.auto_adjust_range()

    def auto_adjust_range(self) -> None:
        """Set the range to that of the plot's data plus margins; do nothing if there is no plot."""
        plot = self.get_plot()
        if plot is None:
            return
        data_range = self._wanted_range(plot.get_data_range(self) or self._default_auto_range)
        if self._fixed_auto_range > 0:
            data_range = Range(data_range.upper() - self._fixed_auto_range, data_range.upper())
        elif data_range.length() < self._auto_range_minimum_size:
            center, half = data_range.central(), self._auto_range_minimum_size / 2
            data_range = Range(center - half, center + half)
        self.set_range(data_range.expanded(self._lower_margin, self._upper_margin), turn_off_auto_range=False)

    def _wanted_range(self, data_range: Range) -> Range:
        return data_range

    def get_range(self) -> Range:
        return self._range

    def set_range(self, new_range: Range, *, turn_off_auto_range: bool = True) -> None:
        """Set the range; it no longer follows the data, unless the caller says otherwise."""
        if turn_off_auto_range:
            self._auto_range = False
        self._range = new_range
        self._changed()

    def set_range_with_margins(self, new_range: Range) -> None:
        """Set the range to a given range plus the margins."""
        self.set_range(new_range.expanded(self._lower_margin, self._upper_margin))

    def set_range_about_value(self, value: float, length: float) -> None:
        """Set the range to one of the given length around a value."""
        self.set_range(Range(value - length / 2, value + length / 2))

    def get_lower_bound(self) -> float:
        return self._range.lower()

    def set_lower_bound(self, bound: float) -> None:
        """Move the lower bound; if it would not be below the upper bound, the new range has length 1."""
        if self._range.upper() > bound:
            self.set_range(Range(bound, self._range.upper()))
        else:
            self.set_range(Range(bound, bound + 1.0))

    def get_upper_bound(self) -> float:
        return self._range.upper()

    def set_upper_bound(self, bound: float) -> None:
        """Move the upper bound; if it would not be above the lower bound, the new range has length 1."""
        if self._range.lower() < bound:
            self.set_range(Range(self._range.lower(), bound))
        else:
            self.set_range(Range(bound - 1.0, bound))

    def center_range(self, value: float) -> None:
        """Move the range so that a value is in its middle."""
        center = self._range.central()
        self.set_range(Range(self._range.lower() + value - center, self._range.upper() + value - center))

    def resize_range(self, factor: float) -> None:
        """Multiply the length of the range by a factor; with a factor of 0 or less, follow the data again."""
        self.resize_range_about(factor, self._range.central())

    def resize_range_about(self, factor: float, anchor: float) -> None:
        """Multiply the length of the range by a factor, with an anchor in its middle."""
        if factor > 0:
            half = self._range.length() * factor / 2
            self.set_range(Range(anchor - half, anchor + half))
        else:
            self.set_auto_range(True)

    def zoom_range(self, lower_share: float, upper_share: float) -> None:
        """Show the part of the range between two fractions of its length."""
        start, length = self._range.lower(), self._range.length()
        self.set_range(Range(start + length * lower_share, start + length * upper_share))

    def value_to_pixel(self, value: float, left: float, width: float) -> float:
        """Return the position of a value on an axis that starts at `left`."""
        shown = self.get_range()
        share = (value - shown.lower()) / shown.length() if shown.length() else 0.0
        return left + width * (1 - share if self._inverted else share)

    def pixel_to_value(self, pixel: float, left: float, width: float) -> float:
        """Return the value at a position of an axis that starts at `left`."""
        shown = self.get_range()
        share = (pixel - left) / above_zero("width", width)
        return shown.lower() + shown.length() * (1 - share if self._inverted else share)
