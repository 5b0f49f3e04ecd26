"""Maps from a key to several values, and a view that shows them as ordinary maps."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from zlib import crc32


class Multimap:
    """A map from names to any number of values each. Threads may share it.

    Methods that return several values return copies.
    """

    def __init__(self, values: dict[str, list[int]] | None = None) -> None:
        self._lock = threading.RLock()
        self._lists: dict[str, list[int]] = {}
        for key, numbers in (values or {}).items():
            self.put_all(key, numbers)

    def as_map(self) -> AsMap:
        """Return a view that maps each key to its values. Changes of the multimap are visible in the view."""
        return AsMap(self)

    def put(self, key: str, value: int) -> None:
        """Add a value to the values of a key."""
        with self._lock:
            self._lists.setdefault(key, []).append(value)

    def put_all(self, key: str, values: Iterable[int]) -> None:
        """Add several values to the values of a key."""
        added = list(values)
        if added:
            with self._lock:
                self._lists.setdefault(key, []).extend(added)

    def replace_values(self, key: str, values: Iterable[int]) -> list[int]:
        """Replace the values of a key, and return the former values."""
        with self._lock:
            former = self.remove_all(key)
            self.put_all(key, values)
        return former

    def remove(self, key: str, value: int) -> bool:
        """Remove one value of a key. Return False if the key does not have it."""
        with self._lock:
            values = self._lists.get(key, [])
            if value not in values:
                return False
            values.remove(value)
            if not values:
                del self._lists[key]
        return True

    def remove_all(self, key: str) -> list[int]:
        """Remove a key, and return its former values."""
        with self._lock:
            return self._lists.pop(key, [])

    def get(self, key: str) -> list[int]:
        """Return the values of a key, in the order in which they were added."""
        with self._lock:
            return list(self._lists.get(key, []))

    def contains_key(self, key: str) -> bool:
        with self._lock:
            return key in self._lists

    def contains_value(self, value: int) -> bool:
        """Return whether any key has the value."""
        with self._lock:
            return any(value in values for values in self._lists.values())

    def contains_entry(self, key: str, value: int) -> bool:
        """Return whether the key has the value."""
        with self._lock:
            return value in self._lists.get(key, [])

    def keys(self) -> list[str]:
        with self._lock:
            return list(self._lists)

    def values(self) -> list[int]:
        """Return the values of all keys."""
        with self._lock:
            return [value for values in self._lists.values() for value in values]

    def groups(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return each key with all its values."""
        with self._lock:
            return [(key, tuple(values)) for key, values in self._lists.items()]

    def key_count(self) -> int:
        with self._lock:
            return len(self._lists)

    def size(self) -> int:
        """Return the number of values of all keys together."""
        return len(self.values())

    def is_empty(self) -> bool:
        return self.key_count() == 0

    def clear(self) -> None:
        with self._lock:
            self._lists.clear()


class EntrySet:
    """The entries of a multimap as pairs of a key and its values."""

    def __init__(self, multimap: Multimap) -> None:
        self._multimap = multimap

    def __len__(self) -> int:
        return self._multimap.key_count()

    def __iter__(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        return iter(self._multimap.groups())

    def __contains__(self, entry: object) -> bool:
        return entry in self._multimap.groups()


class AsMap:
    """A view of a multimap as a map from each key to the list of its values. Threads may share it.

    The view is made by `Multimap.as_map`. Removing a key from the view removes it from the multimap.
    """

    def __init__(self, multimap: Multimap) -> None:
        self._multimap = multimap
        self._entries: EntrySet | None = None

    def entry_set(self) -> EntrySet:
        """Return the pairs of keys and values. The set is made once and shows later changes."""
        entries = self._entries
        if not self._has_entry_set():
            entries = self._entries = EntrySet(self._multimap)
        return entries

    def _has_entry_set(self) -> bool:
        return self._entries is not None

    def size(self) -> int:
        """Return the number of keys."""
        return len(self.entry_set())

    def is_empty(self) -> bool:
        return self._multimap.is_empty()

    def contains_key(self, key: str) -> bool:
        return self._multimap.contains_key(key)

    def get(self, key: str) -> list[int] | None:
        """Return the values of a key, or None if it has none."""
        return self._multimap.get(key) or None

    def remove(self, key: str) -> list[int] | None:
        """Remove a key with all its values, and return them; None if it has none."""
        return self._multimap.remove_all(key) or None

    def clear(self) -> None:
        self._multimap.clear()

    def key_set(self) -> set[str]:
        return set(self._multimap.keys())

    def values(self) -> list[list[int]]:
        """Return one list of values for each key."""
        return [list(values) for _, values in self.entry_set()]

    def items(self) -> list[tuple[str, list[int]]]:
        return [(key, list(values)) for key, values in self.entry_set()]

    def __eq__(self, other: object) -> bool:
        """Compare the contents of two maps. If they show different multimaps, these are read one after the other."""
        if not isinstance(other, AsMap):
            return NotImplemented
        return self._multimap is other._multimap or dict(self.entry_set()) == dict(other.entry_set())

    def __hash__(self) -> int:
        """Return a hash of the present contents, which is the same in every process."""
        return sum(crc32(repr(entry).encode()) for entry in self.entry_set())

    def __str__(self) -> str:
        return "{" + ", ".join(f"{key}={list(values)}" for key, values in self.entry_set()) + "}"
