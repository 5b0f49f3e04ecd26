"""A cache that forgets what was not used for the longest time."""

from __future__ import annotations

import threading
from collections import OrderedDict


class LruCache:
    """Keeps the most recently used values. Threads may share it; each method is one indivisible step."""

    def __init__(self, capacity: int = 2) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, object] = OrderedDict()  # least recently used first
        self._capacity = _checked(capacity)
        self._hits = 0
        self._misses = 0

    def get(self, key: str, default: object = None) -> object:
        """Return the value of a key, which becomes the most recently used one."""
        with self._lock:
            if key not in self._entries:
                self._misses += 1
                return default
            self._hits += 1
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: str, value: object) -> None:
        """Store a value, and forget the least recently used one if there are too many."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            self._shrink()

    def pop(self, key: str, default: object = None) -> object:
        """Forget a key, and return its value."""
        with self._lock:
            return self._entries.pop(key, default)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()

    def resize(self, capacity: int) -> None:
        """Change the maximum number of values, and forget those that are too many."""
        with self._lock:
            self._capacity = _checked(capacity)
            self._shrink()

    def items(self) -> list[tuple[str, object]]:
        """Return the pairs of keys and values, with the least recently used one first."""
        with self._lock:
            return list(self._entries.items())

    def hits(self) -> int:
        """Return how often `get` found its key."""
        with self._lock:
            return self._hits

    def misses(self) -> int:
        """Return how often `get` did not find its key."""
        with self._lock:
            return self._misses

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return key in self._entries

    def _shrink(self) -> None:
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)


def _checked(capacity: int) -> int:
    if capacity < 1:
        raise ValueError(f"the capacity must be at least 1, not {capacity}")
    return capacity
