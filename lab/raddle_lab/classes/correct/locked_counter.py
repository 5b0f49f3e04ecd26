"""A counter for several threads."""

from __future__ import annotations

import threading


class LockedCounter:
    """Counts up and down. Threads may share it; each method is one indivisible step."""

    def __init__(self, start: int = 0) -> None:
        self._lock = threading.Lock()
        self._start = start
        self._value = start
        self._changes = 0

    def add(self, amount: int) -> int:
        """Add an amount, which may be negative, and return the new value."""
        with self._lock:
            self._value += amount
            self._changes += 1
            return self._value

    def increment(self) -> int:
        return self.add(1)

    def decrement(self) -> int:
        return self.add(-1)

    def value(self) -> int:
        with self._lock:
            return self._value

    def reset(self) -> int:
        """Return to the start value, and return the value before that."""
        with self._lock:
            before, self._value = self._value, self._start
            self._changes += 1
            return before

    def snapshot(self) -> tuple[int, int]:
        """Return the value and the number of changes that led to it."""
        with self._lock:
            return self._value, self._changes
