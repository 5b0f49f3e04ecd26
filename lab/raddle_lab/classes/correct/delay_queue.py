"""A queue whose items become due at a later time."""

from __future__ import annotations

import heapq
import threading


class QueueClosedError(Exception):
    """The queue is closed."""


class DelayQueue:
    """Keeps items until they are due. Threads may share it; each method takes effect in one indivisible step.

    The queue has its own clock, which begins at 0 and moves only when `advance` is called. Items that become due at the
    same time keep the order in which they were scheduled.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._now = 0.0
        self._heap: list[tuple[float, int]] = []  # when each item is due, and its handle
        self._items: dict[int, object] = {}  # by handle; those that are cancelled stay only in the heap
        self._scheduled = 0
        self._closed = False

    def schedule(self, delay: float, item: object) -> int:
        """Add an item that is due after a delay in seconds, and return a handle with which it can be cancelled.

        Raises:
            QueueClosedError: If the queue is closed.
        """
        if delay < 0:
            raise ValueError(f"the delay must not be negative: {delay}")
        with self._condition:
            if self._closed:
                raise QueueClosedError("the queue is closed")
            self._scheduled += 1
            self._items[self._scheduled] = item
            heapq.heappush(self._heap, (self._now + delay, self._scheduled))
            self._condition.notify()
            return self._scheduled

    def cancel(self, handle: int) -> bool:
        """Remove an item, even if it is due. Return False if it is not in the queue any more."""
        with self._condition:
            if handle not in self._items:
                return False
            del self._items[handle]
            return True

    def advance(self, seconds: float) -> None:
        """Move the clock forward."""
        if seconds < 0:
            raise ValueError(f"the clock does not go back: {seconds}")
        with self._condition:
            self._now += seconds
            self._condition.notify_all()

    def pop_due(self) -> object:
        """Remove and return the item that is due for the longest time; None if no item is due."""
        with self._condition:
            return self._pop() if self._is_due() else None

    def take(self, timeout: float | None = None) -> object:
        """Remove and return the item that is due for the longest time; wait until there is one.

        `timeout` is in seconds of real time, not of the clock of the queue.

        Raises:
            QueueClosedError: If the queue is closed and no item is due, also while waiting.
            TimeoutError: If no item becomes due within `timeout` seconds.
        """
        with self._condition:
            if not self._condition.wait_for(lambda: self._is_due() or self._closed, timeout):
                raise TimeoutError(f"no item became due within {timeout} seconds")
            if not self._is_due():
                raise QueueClosedError("the queue is closed and no item is due")
            return self._pop()

    def next_due(self) -> float | None:
        """Return the number of seconds until the next item is due; None if there is no item."""
        with self._condition:
            self._drop_cancelled()
            return max(0.0, self._heap[0][0] - self._now) if self._heap else None

    def close(self) -> None:
        """Accept no more items. Those that are due later can still become due."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def _is_due(self) -> bool:
        self._drop_cancelled()
        return bool(self._heap) and self._heap[0][0] <= self._now

    def _pop(self) -> object:
        _, handle = heapq.heappop(self._heap)
        return self._items.pop(handle)

    def _drop_cancelled(self) -> None:
        while self._heap and self._heap[0][1] not in self._items:
            heapq.heappop(self._heap)
