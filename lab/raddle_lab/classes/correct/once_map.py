"""A map whose values are computed once, when they are first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable


class OnceMap:
    """Computes the value of each key once. Threads may share it; each method takes effect in one indivisible step.

    Values of different keys are computed at the same time. A factory may use the map for other keys; each such call is
    a step of its own, so another thread can see its effect before the factory ends. Two factories must not need each
    other's values, because their threads would wait for each other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # protects the other fields; never held while a factory runs
        self._values: dict[str, object] = {}
        self._key_locks: dict[str, threading.RLock] = {}
        self._computing: set[str] = set()

    def get(self, key: str, factory: Callable[[], object]) -> object:
        """Return the value of a key; if it has none, let the factory compute it.

        An exception of the factory reaches the caller, and the key stays without a value.

        Raises:
            RuntimeError: If the factory needs the value of the same key.
        """
        with self._lock:
            if key in self._values:
                return self._values[key]
            key_lock = self._key_locks.setdefault(key, threading.RLock())
        with key_lock:
            with self._lock:
                if key in self._values:
                    return self._values[key]
                if key in self._computing:  # by this thread, because it holds the lock of the key
                    raise RuntimeError(f"the value of {key!r} is needed to compute itself")
                self._computing.add(key)
            try:
                value = factory()
                with self._lock:
                    self._values[key] = value
            finally:
                with self._lock:
                    self._computing.remove(key)
        return value

    def invalidate(self, key: str) -> bool:
        """Forget the value of a key. Return False if it has none. A value being computed now is not affected."""
        with self._lock:
            if key not in self._values:
                return False
            del self._values[key]
            return True

    def keys(self) -> list[str]:
        """Return the keys that have a value, in alphabetical order."""
        with self._lock:
            return sorted(self._values)

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return key in self._values
