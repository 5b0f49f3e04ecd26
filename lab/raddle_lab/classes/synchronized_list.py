"""A list whose methods exclude each other."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

Item = TypeVar("Item")


class SynchronizedList(Generic[Item]):
    """A list with a lock that each method holds."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._items: list[Item] = []

    def size(self) -> int:
        with self._lock:
            return len(self._items)

    def element_at(self, index: int) -> Item:
        """Return the item at an index; raise IndexError if there is none."""
        with self._lock:
            if not 0 <= index < len(self._items):
                raise IndexError(f"index {index} of {len(self._items)} items")
            return self._items[index]

    def contains(self, item: Item) -> bool:
        with self._lock:
            return any(each is item for each in self._items)

    def append(self, item: Item) -> None:
        with self._lock:
            self._items.append(item)

    def remove(self, item: Item) -> None:
        """Remove an item; do nothing if it is not in the list."""
        with self._lock:
            self._items = [each for each in self._items if each is not item]

    def remove_all(self) -> None:
        with self._lock:
            self._items = []

    def snapshot(self) -> list[Item]:
        with self._lock:
            return list(self._items)
