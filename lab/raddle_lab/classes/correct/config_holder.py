"""Settings that are read often and changed rarely."""

from __future__ import annotations

import threading
from collections.abc import Callable

Subscriber = Callable[[dict[str, object]], object]


class ConfigHolder:
    """Keeps named settings. Threads may share it; each method takes effect in one indivisible step.

    Readers need no lock, because every change stores a new dictionary. Subscribers are called after a change, with the
    settings that it produced, in the thread that made it. If two threads make changes, the order of these calls is not
    defined.
    """

    def __init__(self, values: dict[str, object] | None = None) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, object] = dict(values or {})  # never changed, only replaced
        self._subscribers: tuple[Subscriber, ...] = ()

    def get(self, key: str, default: object = None) -> object:
        return self._values.get(key, default)

    def snapshot(self) -> dict[str, object]:
        """Return a copy of all settings."""
        return dict(self._values)

    def set(self, key: str, value: object) -> None:
        """Change one setting."""
        self.update(**{key: value})

    def update(self, /, **values: object) -> None:
        """Change several settings in one step."""
        with self._lock:
            changed = {**self._values, **values}
            self._values = changed
            subscribers = self._subscribers
        for subscriber in subscribers:
            subscriber(dict(changed))

    def subscribe(self, subscriber: Subscriber) -> None:
        """Call a function after each later change."""
        with self._lock:
            self._subscribers = (*self._subscribers, subscriber)
