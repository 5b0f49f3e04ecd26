"""A dictionary with a lock around each operation."""

from __future__ import annotations

import threading

from raddle_lab.classes.collection_view import CollectionView
from raddle_lab.classes.nesting import check_depth
from raddle_lab.classes.stable_hash import stable_hash


class SynchronizedMap:
    """Wraps a dictionary so that threads may share it. All threads must use the dictionary through the wrapper."""

    def __init__(self, mapping: dict[object, object] | None = None) -> None:
        """Wrap the dictionary, or a new one."""
        self._map = {} if mapping is None else mapping
        self._lock = threading.RLock()
        self._key_set: CollectionView | None = None
        self._entry_set: CollectionView | None = None
        self._values: CollectionView | None = None

    def size(self) -> int:
        with self._lock:
            return len(self._map)

    def is_empty(self) -> bool:
        with self._lock:
            return not self._map

    def contains_key(self, key: object) -> bool:
        with self._lock:
            return key in self._map

    def contains_value(self, value: object) -> bool:
        with self._lock:
            return value in self._map.values()

    def get(self, key: object) -> object | None:
        """Return the value of the key, or None if the map does not contain it."""
        with self._lock:
            return self._map.get(key)

    def get_or_default(self, key: object, default: object) -> object:
        """Return the value of the key, or the default if the map does not contain the key."""
        with self._lock:
            return self._map.get(key, default)

    def put(self, key: object, value: object) -> object | None:
        """Set the value of the key. Return its former value, or None."""
        with self._lock:
            former = self._map.get(key)
            self._map[key] = value
            return former

    def put_if_absent(self, key: object, value: object) -> object:
        """Add the key if the map does not contain it. Return the key's value."""
        with self._lock:
            return self._map.setdefault(key, value)

    def put_all(self, other: SynchronizedMap | dict[object, object]) -> None:
        """Add all entries of the other map."""
        with self._lock:
            for key, value in list(other.items()):
                self._map[key] = value

    def remove(self, key: object) -> object | None:
        """Remove the key. Return its former value, or None."""
        with self._lock:
            return self._map.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._map.clear()

    def items(self) -> list[tuple[object, object]]:
        with self._lock:
            return list(self._map.items())

    def key_set(self) -> CollectionView:
        with self._lock:
            if self._key_set is None:
                self._key_set = CollectionView(self._keys)
            return self._key_set

    def entry_set(self) -> CollectionView:
        with self._lock:
            if self._entry_set is None:
                self._entry_set = CollectionView(self.items)
            return self._entry_set

    def values(self) -> CollectionView:
        with self._lock:
            if self._values is None:
                self._values = CollectionView(self._elements)
            return self._values

    def equals(self, other: object) -> bool:
        """Return whether the other is a map or dictionary with equal entries."""
        if other is self:
            return True
        with self._lock:
            if isinstance(other, SynchronizedMap):
                return other.size() == len(self._map) and all(
                    other.contains_key(key) and other.get(key) == value for key, value in self._map.items()
                )
            return self._map == other

    def content_hash(self) -> int:
        """Return a hash that is equal for maps with equal entries.

        Raise RecursionError if maps contain each other in more than 50 levels, or if the map contains itself.
        """
        return self._hash(1)

    def to_string(self) -> str:
        with self._lock:
            texts = [f"{self._text(key)}: {self._text(value)}" for key, value in self._map.items()]
            return f"{{{', '.join(texts)}}}"

    def _hash(self, depth: int) -> int:
        check_depth(depth)
        with self._lock:
            total = 0
            for key, value in self._map.items():
                total += _content_hash(key, depth) ^ _content_hash(value, depth)
            return total

    def _text(self, value: object) -> str:
        return "(this map)" if value is self else str(value)

    def _keys(self) -> list[object]:
        with self._lock:
            return list(self._map)

    def _elements(self) -> list[object]:
        with self._lock:
            return list(self._map.values())


def _content_hash(value: object, depth: int) -> int:
    return value._hash(depth + 1) if isinstance(value, SynchronizedMap) else stable_hash(value)
