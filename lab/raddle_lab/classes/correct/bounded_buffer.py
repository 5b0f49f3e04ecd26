"""A queue with a limited length that can be closed."""

from __future__ import annotations

import threading
from collections import deque


class BufferClosedError(Exception):
    """The buffer accepts no more items, or has no more items."""


class BoundedBuffer:
    """A queue of limited length between threads. Each method takes effect in one indivisible step.

    `put` and `take` wait as long as necessary. A thread that waits is released by `close`.
    """

    def __init__(self, capacity: int = 1) -> None:
        if capacity < 1:
            raise ValueError(f"the capacity must be at least 1, not {capacity}")
        self._items: deque[object] = deque()
        self._capacity = capacity
        self._closed = False
        lock = threading.Lock()
        self._not_full = threading.Condition(lock)
        self._not_empty = threading.Condition(lock)

    def put(self, item: object) -> None:
        """Append an item; wait while the buffer is full.

        Raises:
            BufferClosedError: If the buffer is closed, also while waiting.
        """
        with self._not_full:
            while len(self._items) == self._capacity and not self._closed:
                self._not_full.wait()
            self._append(item)

    def take(self) -> object:
        """Remove and return the first item; wait while the buffer is empty.

        Raises:
            BufferClosedError: If the buffer is empty and closed, also while waiting.
        """
        with self._not_empty:
            while not self._items and not self._closed:
                self._not_empty.wait()
            if not self._items:
                raise BufferClosedError("the buffer is closed and has no more items")
            return self._remove_first()

    def try_put(self, item: object, timeout: float = 0.0) -> bool:
        """Append an item. Return False if the buffer stays full for `timeout` seconds.

        Raises:
            BufferClosedError: If the buffer is closed, also while waiting.
        """
        with self._not_full:
            if not self._not_full.wait_for(lambda: len(self._items) < self._capacity or self._closed, timeout):
                return False
            self._append(item)
            return True

    def try_take(self, timeout: float = 0.0) -> object:
        """Remove and return the first item. Return None if the buffer stays empty for `timeout` seconds, or is closed.

        The method does not wait if the buffer is closed.
        """
        with self._not_empty:
            self._not_empty.wait_for(lambda: self._items or self._closed, timeout)
            return self._remove_first() if self._items else None

    def size(self) -> int:
        """Return the number of items."""
        with self._not_empty:
            return len(self._items)

    def close(self) -> None:
        """Accept no more items. Those in the buffer can still be taken."""
        with self._not_empty:
            self._closed = True
            self._not_empty.notify_all()
            self._not_full.notify_all()

    def _append(self, item: object) -> None:
        if self._closed:
            raise BufferClosedError("the buffer is closed")
        self._items.append(item)
        self._not_empty.notify()

    def _remove_first(self) -> object:
        item = self._items.popleft()
        self._not_full.notify()
        return item
