"""Series of values over time."""

from __future__ import annotations

from dataclasses import dataclass

from raddle_lab.classes.growable_array import GrowableArray
from raddle_lab.classes.series import PropertyListener, SeriesChangeEvent, SeriesError, SeriesListener
from raddle_lab.classes.validation import at_least_zero

UNLIMITED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class TimeSeriesItem:
    """The value of a series in one period."""

    period: int
    value: float | None


class TimeSeries:
    """Values of consecutive periods, sorted by period; periods are numbered, and each has at most one value.

    A series is meant to be shared: several threads may add, change, read and delete items at the same time.
    """

    def __init__(self, name: str = "series", period_class: type = int) -> None:
        self._name = name
        self._description: str | None = None
        self._domain_description = "time"
        self._range_description = "value"
        self._period_class = period_class
        self._data = GrowableArray()
        self._maximum_item_count = UNLIMITED
        self._history_count = UNLIMITED
        self._listeners: list[SeriesListener] = []
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

    def get_domain_description(self) -> str:
        return self._domain_description

    def set_domain_description(self, description: str) -> None:
        old, self._domain_description = self._domain_description, description
        self._property_changed("domain description", old, description)

    def get_range_description(self) -> str:
        return self._range_description

    def set_range_description(self, description: str) -> None:
        old, self._range_description = self._range_description, description
        self._property_changed("range description", old, description)

    def get_time_period_class(self) -> type:
        return self._period_class

    def get_maximum_item_count(self) -> int:
        return self._maximum_item_count

    def set_maximum_item_count(self, maximum: int) -> None:
        """Limit the number of items; the oldest items are dropped."""
        self._maximum_item_count = at_least_zero("maximum item count", maximum)
        self._drop_old_items()
        self.fire_series_changed()

    def get_history_count(self) -> int:
        return self._history_count

    def set_history_count(self, periods: int) -> None:
        """Limit the number of periods between the oldest and the newest item."""
        self._history_count = at_least_zero("history count", periods)
        self._drop_old_items()
        self.fire_series_changed()

    def get_item_count(self) -> int:
        return self._data.size()

    def get_items(self) -> list[TimeSeriesItem]:
        return list(self._data)

    def get_data_pair(self, index: int) -> TimeSeriesItem:
        """Return the item at an index; raise IndexError if there is none."""
        return self._data.get(index)

    def get_data_pair_of(self, period: int) -> TimeSeriesItem | None:
        """Return the item of a period, or None."""
        index = self._search(period)
        return self._data.get(index) if index >= 0 else None

    def get_time_period(self, index: int) -> int:
        """Return the period of the item at an index; raise IndexError if there is none."""
        return self._data.get(index).period

    def get_time_periods(self) -> list[int]:
        return [item.period for item in self.get_items()]

    def get_time_periods_unique_to(self, other: TimeSeries) -> list[int]:
        """Return the periods of another series that this series does not have."""
        own = set(self.get_time_periods())
        return [period for period in other.get_time_periods() if period not in own]

    def get_next_time_period(self) -> int:
        """Return the period after the newest item, or 0 if there are no items."""
        items = self.get_items()
        return items[-1].period + 1 if items else 0

    def get_index(self, period: int) -> int:
        """Return the index of the item of a period; if there is none, a negative number."""
        return self._search(period)

    def get_value(self, period: int) -> float | None:
        """Return the value of a period, or None."""
        item = self.get_data_pair_of(period)
        return item.value if item else None

    def add(self, period: int, value: float | None) -> None:
        """Add an item; raise `SeriesError` if the period has one already."""
        self._check_period(period)
        index = self._search(period)
        if index >= 0:
            raise SeriesError(f"period {period} exists already")
        self._data.insert(-index - 1, TimeSeriesItem(period, value))
        self._drop_old_items()
        self.fire_series_changed()

    def update(self, period: int, value: float | None) -> None:
        """Change the value of a period; raise `SeriesError` if the period has no item."""
        index = self._search(period)
        if index < 0:
            raise SeriesError(f"period {period} does not exist")
        self._data.replace(index, TimeSeriesItem(period, value))
        self.fire_series_changed()

    def add_or_update(self, period: int, value: float | None) -> TimeSeriesItem | None:
        """Set the value of a period, and return the item that was there before, or None."""
        self._check_period(period)
        overwritten = self.get_data_pair_of(period)
        if overwritten is None:
            self.add(period, value)
        else:
            self.update(period, value)
        return overwritten

    def add_and_or_update(self, series: TimeSeries) -> TimeSeries:
        """Copy all items of another series, and return the items that were overwritten."""
        overwritten = TimeSeries(f"overwritten values from {self.get_name()}", self._period_class)
        for item in series.get_items():
            old = self.add_or_update(item.period, item.value)
            if old is not None:
                overwritten.add(old.period, old.value)
        return overwritten

    def delete(self, period: int) -> None:
        """Delete the item of a period, if there is one."""
        index = self._search(period)
        if index >= 0:
            self._data.delete(index)
            self.fire_series_changed()

    def delete_range(self, start: int, end: int) -> None:
        """Delete the items from index `start` to index `end`; raise IndexError if one of them does not exist."""
        if not 0 <= start <= end < self.get_item_count():
            raise IndexError(f"no items from {start} to {end}")
        for _ in range(start, end + 1):
            self._data.delete(start)
        self.fire_series_changed()

    def clear(self) -> None:
        """Delete all items."""
        if self.get_item_count():
            self._data.clear()
            self.fire_series_changed()

    def clone(self) -> TimeSeries:
        """Return a copy without listeners."""
        return self._copy_with(self.get_items())

    def create_copy(self, start: int, end: int) -> TimeSeries:
        """Return a copy with the items from index `start` to index `end`; raise IndexError if there is none."""
        if not 0 <= start <= end < self.get_item_count():
            raise IndexError(f"no items from {start} to {end}")
        return self._copy_with(self.get_items()[start : end + 1])

    def create_copy_between(self, first: int, last: int) -> TimeSeries:
        """Return a copy with the items of the periods from `first` to `last`."""
        return self._copy_with([item for item in self.get_items() if first <= item.period <= last])

    def add_change_listener(self, listener: SeriesListener) -> None:
        self._listeners.append(listener)

    def remove_change_listener(self, listener: SeriesListener) -> None:
        """Remove a listener; do nothing if it was not added."""
        self._listeners = [each for each in tuple(self._listeners) if each is not listener]

    def add_property_listener(self, listener: PropertyListener) -> None:
        self._property_listeners.append(listener)

    def remove_property_listener(self, listener: PropertyListener) -> None:
        """Remove a listener; do nothing if it was not added."""
        self._property_listeners = [each for each in tuple(self._property_listeners) if each is not listener]

    def fire_series_changed(self) -> None:
        """Notify all listeners that the items have changed."""
        event = SeriesChangeEvent(self.get_name())
        for listener in tuple(self._listeners):
            listener.series_changed(event)

    def _property_changed(self, name: str, old: object, new: object) -> None:
        for listener in tuple(self._property_listeners):
            listener.property_changed(name, old, new)

    def _check_period(self, period: int) -> None:
        if not isinstance(period, self.get_time_period_class()):
            raise SeriesError(f"{period!r} is not a period of type {self.get_time_period_class().__name__}")

    def _search(self, period: int) -> int:
        """Return the index of a period or, if it has no item, -1 minus the index where one belongs."""
        low, high = 0, self._data.size() - 1
        while low <= high:
            middle = (low + high) // 2
            found = self._data.get(middle).period
            if found == period:
                return middle
            if found < period:
                low = middle + 1
            else:
                high = middle - 1
        return -low - 1

    def _drop_old_items(self) -> None:
        while self._data.size() > self._maximum_item_count:
            self._data.delete(0)
        if self._history_count < UNLIMITED:
            while self._covered_periods() > self._history_count:
                self._data.delete(0)

    def _covered_periods(self) -> int:
        size = self._data.size()
        return self._data.get(size - 1).period - self._data.get(0).period if size else 0

    def _copy_with(self, items: list[TimeSeriesItem]) -> TimeSeries:
        other = type(self)(self.get_name(), self._period_class)
        other._description = self._description
        other._domain_description = self._domain_description
        other._range_description = self._range_description
        other._maximum_item_count = self._maximum_item_count
        other._history_count = self._history_count
        for item in items:
            other._data.insert(other._data.size(), item)
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TimeSeries):
            return NotImplemented
        names = (self.get_name(), self.get_domain_description(), self.get_range_description())
        other_names = (other.get_name(), other.get_domain_description(), other.get_range_description())
        return names == other_names and self.get_items() == other.get_items()
