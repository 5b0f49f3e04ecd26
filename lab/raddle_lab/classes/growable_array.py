"""A list that manages its own storage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class GrowableArray:
    """A sequence in a block of memory that is replaced by a larger one when it is full."""

    def __init__(self, capacity: int = 10) -> None:
        self._items: list[Any] = [None] * capacity
        self._size = 0

    def size(self) -> int:
        return self._size

    def get(self, index: int) -> Any:
        self._check(index, self.size() - 1)
        return self._items[index]

    def replace(self, index: int, item: object) -> None:
        self._check(index, self.size() - 1)
        self._items[index] = item

    def insert(self, index: int, item: object) -> None:
        """Insert an item, and move the items from this index up by one place."""
        self._check(index, self.size())
        self._ensure_capacity(self.size() + 1)
        self._shift_up(index)
        self._items[index] = item
        self._size = self.size() + 1

    def delete(self, index: int) -> None:
        """Remove an item, and move the items after it down by one place."""
        self._check(index, self.size() - 1)
        for place in range(index, self.size() - 1):
            self._items[place] = self._items[place + 1]
        self._size = self.size() - 1
        self._items[self._size] = None

    def clear(self) -> None:
        for place in range(self.size()):
            self._items[place] = None
        self._size = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items[: self.size()])

    def _check(self, index: int, last: int) -> None:
        if not 0 <= index <= last:
            raise IndexError(f"index {index} is not between 0 and {last}")

    def _ensure_capacity(self, wanted: int) -> None:
        missing = wanted - len(self._items)
        if missing > 0:
            self._items = self._items + [None] * max(missing, len(self._items) // 2)

    def _shift_up(self, index: int) -> None:
        for place in range(self.size(), index, -1):
            self._items[place] = self._items[place - 1]
