"""A list of functions to call when something happens."""

from __future__ import annotations

import threading
from collections.abc import Callable

Listener = Callable[[object], object]


class ListenerList:
    """Calls listeners in the order in which they were added. Threads may share it.

    Listeners may themselves add and remove listeners. A change during `fire` takes effect for the next call of `fire`,
    so a listener may still be called shortly after its removal. All other methods are indivisible steps.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: tuple[Listener, ...] = ()  # replaced at each change, so readers need no lock

    def add(self, listener: Listener) -> bool:
        """Append a listener. Return False if it is in the list already."""
        with self._lock:
            if listener in self._listeners:
                return False
            self._listeners = (*self._listeners, listener)
            return True

    def remove(self, listener: Listener) -> bool:
        """Remove a listener. Return False if it is not in the list."""
        with self._lock:
            if listener not in self._listeners:
                return False
            self._listeners = tuple(other for other in self._listeners if other != listener)
            return True

    def fire(self, event: object) -> int:
        """Pass an event to each listener, and return the number of listeners.

        An exception of a listener reaches the caller, and the remaining listeners are not called.
        """
        listeners = self._listeners
        for listener in listeners:
            listener(event)
        return len(listeners)

    def clear(self) -> None:
        with self._lock:
            self._listeners = ()

    def __len__(self) -> int:
        return len(self._listeners)
