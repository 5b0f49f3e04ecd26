"""Growable arrays that check the positions at which a search starts."""

from __future__ import annotations

import threading
from collections.abc import Iterator


class Vector:
    """A growable array for several threads. Each method is one indivisible step.

    A method raises IndexError if a position is not that of an element.
    """

    def __init__(self, initial_capacity: int = 10, capacity_increment: int = 0) -> None:
        """Make an empty vector.

        If `capacity_increment` is positive, a full vector grows by that number of slots. Otherwise it doubles its
        capacity.
        """
        if initial_capacity < 0:
            raise ValueError(f"the capacity must not be negative: {initial_capacity}")
        self._lock = threading.RLock()
        self._data: list[object] = [None] * initial_capacity
        self._count = 0
        self._capacity_increment = capacity_increment

    def copy_into(self, target: list[object]) -> None:
        """Copy the elements to the beginning of a list, which must be long enough."""
        with self._lock:
            if len(target) < self._count:
                raise IndexError(f"{self._count} elements do not fit into a list of length {len(target)}")
            for index in range(self._count):
                target[index] = self._data[index]

    def trim_to_size(self) -> None:
        """Reduce the capacity to the number of elements."""
        with self._lock:
            if self._count < len(self._data):
                self._data = self._data[: self._count]

    def ensure_capacity(self, minimum: int) -> None:
        """Make room for at least `minimum` elements."""
        with self._lock:
            capacity = len(self._data)
            if minimum > capacity:
                grown = capacity + self._capacity_increment if self._capacity_increment > 0 else 2 * capacity
                self._data = self._data + [None] * (max(grown, minimum) - capacity)

    def set_size(self, size: int) -> None:
        """Drop elements from the end, or append None, until there are `size` elements."""
        if size < 0:
            raise ValueError(f"the size must not be negative: {size}")
        with self._lock:
            self.ensure_capacity(size)
            for index in range(size, self._count):
                self._data[index] = None
            self._count = size

    def capacity(self) -> int:
        return len(self._data)

    def size(self) -> int:
        return self._count

    def is_empty(self) -> bool:
        return self._count == 0

    def elements(self) -> Iterator[object]:
        """Return an iterator over the present elements. Later changes do not affect it."""
        with self._lock:
            return iter(self._data[: self._count])

    def contains(self, item: object) -> bool:
        return self.index_of(item) >= 0

    def index_of(self, item: object, start: int = 0) -> int:
        """Return the first position of an item at or after `start`, or -1."""
        with self._lock:
            if start < 0:
                raise IndexError(f"{start} < 0")
            for index in range(start, self._count):
                if self._data[index] == item:
                    return index
        return -1

    def last_index_of(self, item: object, start: int | None = None) -> int:
        """Return the last position of an item, or the last one at or before `start`; -1 if there is none."""
        if start is None:
            start = self.size() - 1
        return self._search_backwards(item, start)

    def _search_backwards(self, item: object, start: int) -> int:
        with self._lock:
            if start >= self._count:
                raise IndexError(f"{start} >= {self._count}")
            index = start
            while index >= 0:
                if self._data[index] == item:
                    return index
                index -= 1
        return -1

    def element_at(self, index: int) -> object:
        with self._lock:
            self._check(index)
            return self._data[index]

    def first_element(self) -> object:
        return self.element_at(0)

    def last_element(self) -> object:
        with self._lock:
            return self.element_at(self._count - 1)

    def set_element_at(self, item: object, index: int) -> None:
        """Replace the element at a position."""
        with self._lock:
            self._check(index)
            self._data[index] = item

    def remove_element_at(self, index: int) -> None:
        """Remove the element at a position, and move later elements to the front."""
        with self._lock:
            self._check(index)
            for later in range(index + 1, self._count):
                self._data[later - 1] = self._data[later]
            self._count -= 1
            self._data[self._count] = None

    def insert_element_at(self, item: object, index: int) -> None:
        """Insert an element before a position, or at the end."""
        with self._lock:
            if not 0 <= index <= self._count:
                raise IndexError(f"{index} is not in 0 to {self._count}")
            self.ensure_capacity(self._count + 1)
            for later in range(self._count, index, -1):
                self._data[later] = self._data[later - 1]
            self._data[index] = item
            self._count += 1

    def add_element(self, item: object) -> None:
        """Append an element."""
        with self._lock:
            self.insert_element_at(item, self._count)

    def remove_element(self, item: object) -> bool:
        """Remove the first element that equals an item. Return False if there is none."""
        with self._lock:
            index = self.index_of(item)
            if index < 0:
                return False
            self.remove_element_at(index)
            return True

    def remove_all_elements(self) -> None:
        with self._lock:
            for index in range(self._count):
                self._data[index] = None
            self._count = 0

    def clone(self) -> Vector:
        """Return a vector with the same elements and the same capacity."""
        with self._lock:
            copy = type(self)(len(self._data), self._capacity_increment)
            copy._data = list(self._data)
            copy._count = self._count
            return copy

    def __str__(self) -> str:
        with self._lock:
            return "[" + ", ".join(map(str, self._data[: self._count])) + "]"

    def _check(self, index: int) -> None:
        """Refuse a position that has no element; Python would count negative positions from the end."""
        if not 0 <= index < self._count:
            raise IndexError(f"{index} is not in 0 to {self._count - 1}")
