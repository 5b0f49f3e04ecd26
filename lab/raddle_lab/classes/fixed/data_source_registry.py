"""The registry of data sources, with a lock around all changes."""

from __future__ import annotations

from raddle_lab.classes import data_source_registry


class DataSourceRegistry(data_source_registry.DataSourceRegistry):
    """Gives each data source a key, by which it can be found. Threads may share the registry."""

    def remove(self, key: str | None) -> None:
        with self._lock:
            super().remove(key)

    def close_all(self) -> None:
        with self._lock:
            instances = list(self._instances.values())
            self.clear()
        for instance in instances:  # without the lock: another thread may hold a data source's lock and wait for it
            instance.close()

    def clear(self) -> None:
        with self._lock:
            super().clear()


REGISTRY = DataSourceRegistry()
