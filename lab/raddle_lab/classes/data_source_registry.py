"""The registry of data sources."""

from __future__ import annotations

import threading
from typing import Protocol


class Closeable(Protocol):
    def close(self) -> None: ...


class DataSourceRegistry:
    """Gives each data source a key, by which it can be found. Threads may share the registry."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._instances: dict[str, Closeable] = {}

    def register(self, instance: Closeable) -> str:
        """Add the instance. Return its key, a number that is larger than all keys in use."""
        with self._lock:
            largest = 0
            for key in self._instances:
                largest = max(largest, int(key))
            new_key = str(largest + 1)
            self._instances[new_key] = instance
            return new_key

    def find(self, key: str) -> Closeable | None:
        return self._instances.get(key)

    def remove(self, key: str | None) -> None:
        """Remove the instance with this key, if there is one."""
        self._instances.pop(key, None)

    def close_all(self) -> None:
        """Close and remove all instances."""
        for instance in list(self._instances.values()):  # a list, because an instance removes itself when it is closed
            instance.close()
        self.clear()

    def clear(self) -> None:
        """Remove all instances without closing them."""
        self._instances.clear()


REGISTRY = DataSourceRegistry()
