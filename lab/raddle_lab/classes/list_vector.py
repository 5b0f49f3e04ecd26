"""A growable array with the methods of a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raddle_lab.classes import vector
from raddle_lab.classes.stable_hash import stable_hash


class Vector(vector.Vector):
    """A growable array that can also be used as a list. Threads may share it.

    Indexes that are out of bounds raise IndexError. An iterator over a vector raises RuntimeError if the number of
    elements has changed.
    """

    def __init__(
        self, source: Vector | Iterable[object] | None = None, initial_capacity: int = 10, capacity_increment: int = 0
    ) -> None:
        """Create a vector with the elements of the source, or an empty one."""
        super().__init__(initial_capacity, capacity_increment)
        self._modifications = 0
        if isinstance(source, Vector):
            number = source.size()
            self._grow(number + number // 10)
            for index in range(number):
                self._insert(index, source.element_at(index))
        elif source is not None:
            for element in source:
                self._insert(self._count, element)

    def capacity(self) -> int:
        with self._lock:
            return super().capacity()

    def size(self) -> int:
        with self._lock:
            return super().size()

    def is_empty(self) -> bool:
        with self._lock:
            return super().is_empty()

    def last_index_of(self, element: object, start: int | None = None) -> int:
        """Return the last index of the element, searching backward from `start`, or -1 if there is none."""
        with self._lock:
            if start is None:
                start = self._count - 1
            if start >= self._count:
                raise IndexError(f"the index is {start}, but the vector has {self._count} elements")
            return self._last_index_from(element, start)

    def to_array(self) -> list[object]:
        """Return a list of the elements."""
        with self._lock:
            return self._elements()

    def get(self, index: int) -> object:
        return self.element_at(index)

    def set(self, index: int, element: object) -> object:
        """Replace an element. Return the former one."""
        with self._lock:
            self._check(index)
            former = self._data[index]
            self._data[index] = element
            return former

    def add(self, element: object) -> bool:
        """Add the element at the end. Return True, because the vector has changed."""
        self.add_element(element)
        return True

    def add_at(self, index: int, element: object) -> None:
        self.insert_element_at(element, index)

    def remove(self, element: object) -> bool:
        """Remove the first occurrence of the element. Return whether there was one."""
        return self.remove_element(element)

    def remove_at(self, index: int) -> object:
        """Remove and return an element."""
        with self._lock:
            self._check(index)
            element = self._data[index]
            self._delete(index)
            return element

    def clear(self) -> None:
        self.remove_all_elements()

    def contains_all(self, other: Vector | list[object]) -> bool:
        with self._lock:
            return all(element in self._elements() for element in other)

    def add_all(self, other: Vector | list[object]) -> bool:
        """Add all elements at the end. Return whether there were any."""
        with self._lock:
            return self._insert_all(self._count, other)

    def add_all_at(self, index: int, other: Vector | list[object]) -> bool:
        """Insert all elements at the index. Return whether there were any."""
        with self._lock:
            if not 0 <= index <= self._count:
                raise IndexError(f"the index is {index}, but must lie between 0 and {self._count}")
            return self._insert_all(index, other)

    def remove_all(self, other: Vector | list[object]) -> bool:
        """Remove all occurrences of the other's elements. Return whether there were any."""
        with self._lock:
            others = list(other)
            return self._keep([element for element in self._elements() if element not in others])

    def retain_all(self, other: Vector | list[object]) -> bool:
        """Remove all elements that the other does not have. Return whether there were any."""
        with self._lock:
            others = list(other)
            return self._keep([element for element in self._elements() if element in others])

    def equals(self, other: object) -> bool:
        """Return whether the other is a vector or list with equal elements in the same order."""
        if other is self:
            return True
        if not isinstance(other, (Vector, list)):
            return False
        with self._lock:
            return self._elements() == list(other)

    def content_hash(self) -> int:
        """Return a hash that is equal for vectors with equal elements."""
        with self._lock:
            return stable_hash(tuple(self._elements()))

    def sub_list(self, start: int, end: int) -> list[object]:
        """Return a list of the elements from `start` up to, but not including, `end`."""
        with self._lock:
            if not 0 <= start <= end <= self._count:
                raise IndexError(f"there are no elements {start} to {end} in a vector of {self._count} elements")
            return self._data[start:end]

    def remove_range(self, start: int, end: int) -> None:
        """Remove the elements from `start` up to, but not including, `end`."""
        with self._lock:
            if not 0 <= start <= end <= self._count:
                raise IndexError(f"there are no elements {start} to {end} in a vector of {self._count} elements")
            for index in reversed(range(start, end)):
                self._delete(index)

    def clone(self) -> Vector:
        """Return a vector with the same elements."""
        with self._lock:
            return type(self)(self._elements(), len(self._data), self._capacity_increment)

    def __iter__(self) -> Iterator[object]:
        return _VectorIterator(self)

    def _insert_all(self, index: int, other: Vector | list[object]) -> bool:
        elements = list(other)
        for element in elements:
            self._insert(index, element)
            index += 1
        return bool(elements)

    def _keep(self, elements: list[object]) -> bool:
        if len(elements) == self._count:
            return False
        self._resize(0)
        for element in elements:
            self._insert(self._count, element)
        return True

    def _insert(self, index: int, element: object) -> None:
        self._modifications += 1
        super()._insert(index, element)

    def _delete(self, index: int) -> None:
        self._modifications += 1
        super()._delete(index)

    def _resize(self, size: int) -> None:
        self._modifications += 1
        super()._resize(size)


class _VectorIterator(Iterator[object]):
    def __init__(self, vector: Vector) -> None:
        self._vector = vector
        self._index = 0
        self._expected = vector._modifications

    def __next__(self) -> object:
        if self._vector._modifications != self._expected:
            raise RuntimeError("the vector changed during iteration")
        if self._index >= self._vector._count:
            raise StopIteration
        element = self._vector._data[self._index]
        self._index += 1
        return element
