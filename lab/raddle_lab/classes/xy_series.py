"""Series of points."""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from raddle_lab.classes.series import PropertyListener, SeriesChangeEvent, SeriesError, SeriesListener
from raddle_lab.classes.validation import at_least_zero

UNLIMITED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class XYPair:
    """A point of a series."""

    x: float
    y: float | None


class XYSeries:
    """Points sorted by x.

    A series is meant to be shared: several threads may change it, read it and listen to its changes at the same time.
    """

    def __init__(self, name: str = "series", allow_duplicates: bool = True) -> None:
        self._name = name
        self._description: str | None = None
        self._allow_duplicates = allow_duplicates
        self._maximum_item_count = UNLIMITED
        self._data: list[XYPair] = []
        self._listeners: dict[SeriesListener, None] = {}  # a dict, because it keeps the order
        self._property_listeners: list[PropertyListener] = []

    def get_name(self) -> str:
        return self._name

    def set_name(self, name: str) -> None:
        old, self._name = self._name, name
        self._property_changed("name", old, name)

    def get_description(self) -> str | None:
        return self._description

    def set_description(self, description: str | None) -> None:
        old, self._description = self._description, description
        self._property_changed("description", old, description)

    def get_allow_duplicates(self) -> bool:
        return self._allow_duplicates

    def get_item_count(self) -> int:
        return len(self._data)

    def get_items(self) -> list[XYPair]:
        return list(self._data)

    def get_maximum_item_count(self) -> int:
        return self._maximum_item_count

    def set_maximum_item_count(self, maximum: int) -> None:
        """Limit the number of points; the points with the smallest x are dropped."""
        self._maximum_item_count = at_least_zero("maximum item count", maximum)
        self._drop_first_points()
        self.fire_series_changed()

    def add(self, x: float, y: float | None) -> None:
        """Add a point; raise `SeriesError` if there is one with the same x and duplicates are not allowed."""
        self.add_pair(XYPair(x, y))

    def add_pair(self, pair: XYPair) -> None:
        """Add a point; raise `SeriesError` if there is one with the same x and duplicates are not allowed."""
        if not self.get_allow_duplicates() and self.index_of(pair.x) >= 0:
            raise SeriesError(f"x = {pair.x} exists already")
        bisect.insort_right(self._data, pair, key=lambda each: each.x)
        self._drop_first_points()
        self.fire_series_changed()

    def index_of(self, x: float) -> int:
        """Return the index of the first point with a given x, or -1."""
        return next((index for index, pair in enumerate(self.get_items()) if pair.x == x), -1)

    def delete(self, start: int, end: int) -> None:
        """Delete the points from index `start` to index `end`; raise IndexError if one of them does not exist."""
        if not 0 <= start <= end < self.get_item_count():
            raise IndexError(f"no points from {start} to {end}")
        del self._data[start : end + 1]
        self.fire_series_changed()

    def clear(self) -> None:
        """Delete all points."""
        if self.get_item_count():
            self._data.clear()
            self.fire_series_changed()

    def get_data_pair(self, index: int) -> XYPair:
        """Return the point at an index; raise IndexError if there is none."""
        if index < 0:
            raise IndexError(f"no point at {index}")
        return self._data[index]

    def get_x_value(self, index: int) -> float:
        """Return the x of the point at an index; raise IndexError if there is none."""
        return self.get_data_pair(index).x

    def get_y_value(self, index: int) -> float | None:
        """Return the y of the point at an index; raise IndexError if there is none."""
        return self.get_data_pair(index).y

    def update(self, index: int, y: float | None) -> None:
        """Change the y of the point at an index; raise IndexError if there is none."""
        self._data[index] = XYPair(self.get_x_value(index), y)
        self.fire_series_changed()

    def clone(self) -> XYSeries:
        """Return a copy without listeners."""
        return self._copy_with(self.get_items())

    def create_copy(self, start: int, end: int) -> XYSeries:
        """Return a copy with the points from index `start` to index `end`; raise IndexError if there is none."""
        items = self.get_items()
        if not 0 <= start <= end < len(items):
            raise IndexError(f"no points from {start} to {end}")
        return self._copy_with(items[start : end + 1])

    def add_change_listener(self, listener: SeriesListener) -> None:
        self._listeners[listener] = None

    def remove_change_listener(self, listener: SeriesListener) -> None:
        """Remove a listener; do nothing if it was not added."""
        self._listeners.pop(listener, None)

    def add_property_listener(self, listener: PropertyListener) -> None:
        self._property_listeners.append(listener)

    def remove_property_listener(self, listener: PropertyListener) -> None:
        """Remove a listener; do nothing if it was not added."""
        self._property_listeners = [each for each in tuple(self._property_listeners) if each is not listener]

    def fire_series_changed(self) -> None:
        """Notify all listeners that the points have changed."""
        self._notify_listeners(SeriesChangeEvent(self.get_name()))

    def _notify_listeners(self, event: SeriesChangeEvent) -> None:
        for listener in self._listeners:
            listener.series_changed(event)

    def _property_changed(self, name: str, old: object, new: object) -> None:
        for listener in tuple(self._property_listeners):
            listener.property_changed(name, old, new)

    def _drop_first_points(self) -> None:
        surplus = self.get_item_count() - self._maximum_item_count
        if surplus > 0:
            del self._data[:surplus]

    def _copy_with(self, items: list[XYPair]) -> XYSeries:
        other = type(self)(self.get_name(), self.get_allow_duplicates())
        other._description = self._description
        other._maximum_item_count = self._maximum_item_count
        other._data = items
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, XYSeries):
            return NotImplemented
        settings = (self.get_name(), self.get_allow_duplicates())
        return settings == (other.get_name(), other.get_allow_duplicates()) and self.get_items() == other.get_items()
