"""The time limit of a run, which several classes share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

GRACE_SECONDS = 5.0  # how much longer than the time limit raddle may take to write the last tests
SPARE_SECONDS = 20.0  # the time of other classes that the test in hand may take
MIN_SECONDS = 1.0  # a class is searched for at least this time, or not at all


class TimeBudget:
    """Divides the time among classes, which are searched one after the other.

    The run ends at most `GRACE_SECONDS` after the limit, apart from the time for instrumenting modules. A single class
    has all of the time for itself, and instrumenting does not count.

    >>> budget = TimeBudget(60, classes=3, clock=lambda: 0.0)
    >>> budget.share(0), budget.share(2)
    (20.0, 60.0)
    """

    def __init__(self, seconds: float, *, classes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._classes = classes
        self._clock = clock
        self._began = clock()
        self._excluded = 0.0

    @property
    def elapsed(self) -> float:
        """The seconds since the begin, without those that do not count."""
        return self._clock() - self._began - self._excluded

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Do not count the time that the block takes."""
        began = self._clock()
        try:
            yield
        finally:
            self._excluded += self._clock() - began

    def share(self, number: int) -> float:
        """Return the seconds for searching a class, counted from 0; 0 if there is no time left for it."""
        if self._classes == 1:
            return self._seconds
        left = self._seconds - self.elapsed
        if number and left < MIN_SECONDS:
            return 0.0
        return max(left / (self._classes - number), min(MIN_SECONDS, left))

    def for_test(self, number: int, left: float) -> float:
        """Return the seconds for writing the test in hand, while the search of a class has `left` seconds.

        `left` is negative if the search has ended, and other tests were written since.
        The test may use time of the classes that follow, except for the minimum that each of them needs.
        """
        own = max(left + GRACE_SECONDS, 0.0)
        if self._classes == 1:
            return own
        needed = MIN_SECONDS * (self._classes - number - 1)
        spare = min(SPARE_SECONDS, self._seconds - needed - self.elapsed)
        return max(min(max(own, spare), self._seconds + GRACE_SECONDS - self.elapsed), 0.0)
