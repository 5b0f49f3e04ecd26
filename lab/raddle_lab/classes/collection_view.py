"""Views of a map's keys, values or entries."""

from __future__ import annotations

from collections.abc import Callable


class CollectionView:
    """A read-only view of part of a map. Each method reads what the map contains at that time."""

    def __init__(self, read: Callable[[], list[object]]) -> None:
        self._read = read

    def size(self) -> int:
        return len(self._read())

    def is_empty(self) -> bool:
        return not self._read()

    def contains(self, element: object) -> bool:
        return element in self._read()

    def to_list(self) -> list[object]:
        return self._read()
