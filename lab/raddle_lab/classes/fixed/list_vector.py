"""A growable array with the methods of a list, which reads other vectors in one step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raddle_lab.classes import list_vector
from raddle_lab.classes.one_lock import synchronized


@synchronized
class Vector(list_vector.Vector):
    """A growable array that can also be used as a list. Threads may share it."""

    def __init__(
        self, source: Vector | Iterable[object] | None = None, initial_capacity: int = 10, capacity_increment: int = 0
    ) -> None:
        elements = source.to_array() if isinstance(source, list_vector.Vector) else source
        super().__init__(elements, initial_capacity, capacity_increment)

    def __iter__(self) -> Iterator[object]:
        return iter(self.to_array())
