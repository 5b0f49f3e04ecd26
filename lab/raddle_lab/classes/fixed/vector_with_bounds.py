"""Growable arrays that also lock where they read the number of elements."""

from __future__ import annotations

from raddle_lab.classes import vector_with_bounds


class Vector(vector_with_bounds.Vector):
    """A growable array for several threads. Each method is one indivisible step."""

    def last_index_of(self, item: object, start: int | None = None) -> int:
        with self._lock:
            return super().last_index_of(item, start)

    # Without the lock, a thread could read a new capacity and then an old size in the middle of one `add_element`.

    def capacity(self) -> int:
        with self._lock:
            return super().capacity()

    def size(self) -> int:
        with self._lock:
            return super().size()

    def is_empty(self) -> bool:
        with self._lock:
            return super().is_empty()
