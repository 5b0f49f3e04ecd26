"""Delivery of events to the subscribers of a topic."""

from __future__ import annotations

import threading
from collections.abc import Callable

Callback = Callable[[object], object]


class EventBus:
    """Passes events to the callbacks that subscribed to their topic. Threads may share it.

    `publish` calls those that are subscribed when it begins, and holds no lock meanwhile. So callbacks may use the bus,
    and may still be called shortly after they are unsubscribed. All other methods are indivisible steps.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callbacks: dict[str, list[Callback]] = {}

    def subscribe(self, topic: str, callback: Callback) -> None:
        """Add a callback to a topic. It is called once for each time that it is added."""
        with self._lock:
            self._callbacks.setdefault(topic, []).append(callback)

    def unsubscribe(self, topic: str, callback: Callback) -> bool:
        """Remove a callback once. Return False if it is not subscribed to the topic."""
        with self._lock:
            callbacks = self._callbacks.get(topic, [])
            if callback not in callbacks:
                return False
            callbacks.remove(callback)
            if not callbacks:
                del self._callbacks[topic]
            return True

    def publish(self, topic: str, event: object) -> int:
        """Pass an event to the callbacks of a topic, and return their number.

        An exception of a callback reaches the caller, and the remaining callbacks are not called.
        """
        with self._lock:
            callbacks = tuple(self._callbacks.get(topic, ()))
        for callback in callbacks:
            callback(event)
        return len(callbacks)

    def topics(self) -> list[str]:
        """Return the topics that have subscribers, in alphabetical order."""
        with self._lock:
            return sorted(self._callbacks)
