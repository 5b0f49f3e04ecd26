"""A point at which threads wait until a number of events has happened."""

from __future__ import annotations

import threading


class CountDownLatch:
    """Holds threads back until its count is 0. Threads may share it; each method takes effect in one indivisible step.

    A thread that waits while the count becomes 0 goes on, even if the latch is reset at once.
    """

    def __init__(self, count: int = 1) -> None:
        self._condition = threading.Condition()
        self._count = _checked(count)
        self._openings = 0

    def count_down(self) -> int:
        """Decrease the count, unless it is 0, and return it. Release the waiting threads when it becomes 0."""
        with self._condition:
            if self._count:
                self._count -= 1
                if not self._count:
                    self._open()
            return self._count

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the count is 0. Return False if it is not 0 after `timeout` seconds."""
        with self._condition:
            openings = self._openings
            return self._condition.wait_for(lambda: not self._count or self._openings > openings, timeout)

    def count(self) -> int:
        with self._condition:
            return self._count

    def reset(self, count: int = 1) -> None:
        """Set the count. If it becomes 0, the waiting threads are released."""
        with self._condition:
            self._count = _checked(count)
            if not count:
                self._open()

    def _open(self) -> None:
        self._openings += 1
        self._condition.notify_all()


def _checked(count: int) -> int:
    if count < 0:
        raise ValueError(f"the count must not be negative: {count}")
    return count
