"""A map whose keys are distributed over several locks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from zlib import crc32


class StripedMap:
    """A map that threads can change at the same time if their keys differ. Each method is one indivisible step."""

    def __init__(self, stripes: int = 2) -> None:
        if stripes < 1:
            raise ValueError(f"the number of stripes must be at least 1, not {stripes}")
        self._locks = tuple(threading.Lock() for _ in range(stripes))
        self._parts: tuple[dict[str, object], ...] = tuple({} for _ in range(stripes))

    def get(self, key: str, default: object = None) -> object:
        stripe = self._stripe(key)
        with self._locks[stripe]:
            return self._parts[stripe].get(key, default)

    def put(self, key: str, value: object) -> object:
        """Store a value, and return the former value of the key."""
        stripe = self._stripe(key)
        with self._locks[stripe]:
            former = self._parts[stripe].get(key)
            self._parts[stripe][key] = value
            return former

    def put_if_absent(self, key: str, value: object) -> object:
        """Store a value unless the key has one, and return the value that the key has then."""
        stripe = self._stripe(key)
        with self._locks[stripe]:
            return self._parts[stripe].setdefault(key, value)

    def remove(self, key: str) -> object:
        """Remove a key, and return its value."""
        stripe = self._stripe(key)
        with self._locks[stripe]:
            return self._parts[stripe].pop(key, None)

    def compute(self, key: str, function: Callable[[object], object]) -> object:
        """Replace the value of a key by a function of that value, and return the new value.

        The function receives None if the key has no value. It must not use this map.
        """
        stripe = self._stripe(key)
        with self._locks[stripe]:
            value = function(self._parts[stripe].get(key))
            self._parts[stripe][key] = value
            return value

    def items(self) -> list[tuple[str, object]]:
        """Return all pairs of keys and values, in the order of the keys."""
        with self._all_locks():
            return sorted((item for part in self._parts for item in part.items()), key=lambda item: item[0])

    def size(self) -> int:
        """Return the number of keys."""
        with self._all_locks():
            return sum(len(part) for part in self._parts)

    def _all_locks(self) -> ExitStack:
        """Acquire the locks, always in the same order so that threads cannot wait for each other."""
        stack = ExitStack()
        for lock in self._locks:
            stack.enter_context(lock)
        return stack

    def _stripe(self, key: str) -> int:
        return crc32(key.encode()) % len(self._locks)  # hash() of a text differs between processes
