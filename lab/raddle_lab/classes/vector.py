"""A growable array."""

from __future__ import annotations

import threading
from collections.abc import Iterator


class Vector:
    """A growable array of objects. Threads may share it.

    Indexes that are out of bounds raise IndexError.
    """

    def __init__(self, initial_capacity: int = 10, capacity_increment: int = 0) -> None:
        """Create an empty vector. If the increment is 0, the capacity is doubled when it is used up."""
        if initial_capacity < 0:
            raise ValueError(f"the capacity is {initial_capacity}, but must not be negative")
        self._lock = threading.RLock()
        self._data: list[object] = [None] * initial_capacity
        self._count = 0
        self._capacity_increment = capacity_increment

    def copy_into(self, target: list[object]) -> None:
        """Copy the elements to the start of the list, which must be long enough."""
        with self._lock:
            if len(target) < self._count:
                raise IndexError(f"a list of length {len(target)} has no room for {self._count} elements")
            target[: self._count] = self._elements()

    def trim_to_size(self) -> None:
        """Reduce the capacity to the number of elements."""
        with self._lock:
            if self._count < len(self._data):
                self._data = self._elements()

    def ensure_capacity(self, minimum: int) -> None:
        """Increase the capacity to the minimum or more."""
        with self._lock:
            self._grow(minimum)

    def set_size(self, size: int) -> None:
        """Drop elements from the end, or add None at the end."""
        with self._lock:
            if size < 0:
                raise IndexError(f"the size is {size}, but must not be negative")
            self._resize(size)

    def capacity(self) -> int:
        return len(self._data)

    def size(self) -> int:
        return self._count

    def is_empty(self) -> bool:
        return self._count == 0

    def elements(self) -> Iterator[object]:
        """Return an iterator over the elements that the vector has now."""
        with self._lock:
            return iter(self._elements())

    def contains(self, element: object) -> bool:
        return self.index_of(element) >= 0

    def index_of(self, element: object, start: int = 0) -> int:
        """Return the first index of the element, searching forward from `start`, or -1 if there is none."""
        with self._lock:
            if start < 0:
                raise IndexError(f"the index is {start}, but must not be negative")
            for index in range(start, self._count):
                if self._data[index] == element:
                    return index
            return -1

    def last_index_of(self, element: object, start: int | None = None) -> int:
        """Return the last index of the element, searching backward from `start`, or -1 if there is none."""
        if start is None:
            return self._last_index_from(element, self.size() - 1)
        return self._last_index_from(element, start)

    def element_at(self, index: int) -> object:
        with self._lock:
            self._check(index)
            return self._data[index]

    def first_element(self) -> object:
        """Return the first element. Raise LookupError if the vector is empty."""
        with self._lock:
            if self._count == 0:
                raise LookupError("the vector is empty")
            return self._data[0]

    def last_element(self) -> object:
        """Return the last element. Raise LookupError if the vector is empty."""
        with self._lock:
            if self._count == 0:
                raise LookupError("the vector is empty")
            return self._data[self._count - 1]

    def set_element_at(self, element: object, index: int) -> None:
        with self._lock:
            self._check(index)
            self._data[index] = element

    def remove_element_at(self, index: int) -> None:
        with self._lock:
            self._check(index)
            self._delete(index)

    def insert_element_at(self, element: object, index: int) -> None:
        with self._lock:
            if not 0 <= index <= self._count:
                raise IndexError(f"the index is {index}, but must lie between 0 and {self._count}")
            self._insert(index, element)

    def add_element(self, element: object) -> None:
        with self._lock:
            self._insert(self._count, element)

    def remove_element(self, element: object) -> bool:
        """Remove the first occurrence of the element. Return whether there was one."""
        with self._lock:
            index = self.index_of(element)
            if index < 0:
                return False
            self._delete(index)
            return True

    def remove_all_elements(self) -> None:
        with self._lock:
            self._resize(0)

    def clone(self) -> Vector:
        """Return a vector with the same elements."""
        with self._lock:
            other = type(self)(len(self._data), self._capacity_increment)
            for element in self._elements():
                other.add_element(element)
            return other

    def to_string(self) -> str:
        with self._lock:
            texts = ["(this vector)" if element is self else str(element) for element in self._elements()]
            return f"[{', '.join(texts)}]"

    def _last_index_from(self, element: object, start: int) -> int:
        with self._lock:
            index = start
            while index >= 0:
                if self._data[index] == element:
                    return index
                index -= 1
            return -1

    def _elements(self) -> list[object]:
        return self._data[: self._count]

    def _check(self, index: int) -> None:
        if not 0 <= index < self._count:
            raise IndexError(f"the index is {index}, but the vector has {self._count} elements")

    def _grow(self, minimum: int) -> None:
        capacity = len(self._data)
        if minimum > capacity:
            larger = capacity + self._capacity_increment if self._capacity_increment > 0 else 2 * capacity
            self._data = self._data + [None] * (max(larger, minimum) - capacity)

    def _insert(self, index: int, element: object) -> None:
        self._grow(self._count + 1)
        self._data[index + 1 : self._count + 1] = self._data[index : self._count]
        self._data[index] = element
        self._count += 1

    def _delete(self, index: int) -> None:
        self._data[index : self._count - 1] = self._data[index + 1 : self._count]
        self._count -= 1
        self._data[self._count] = None  # the vector no longer refers to the element

    def _resize(self, size: int) -> None:
        self._grow(size)
        for index in range(size, self._count):
            self._data[index] = None
        self._count = size
