"""The backlog: bugs whose tests have not been written yet, in the order in which they were found.

Tests are written while the search continues. The search may run ahead as long as all tests can probably be written
before the time is up.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from raddle.generation.bug import Bug

FIRST_SECONDS = 5.0  # how long writing a test is assumed to take before the first one is written


class Backlog:
    """A queue of bugs, and how long it takes to write their tests.

    >>> backlog = Backlog(lambda bug, seconds: None)
    >>> backlog.fits(0.0), len(backlog)
    (True, 0)
    """

    def __init__(self, write: Callable[[Bug, float], None], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write  # called with a bug and the seconds that are left for writing its test
        self._clock = clock
        self._bugs: deque[Bug] = deque()
        self._seconds = 0.0
        self._written = 0

    def __len__(self) -> int:
        return len(self._bugs)

    def add(self, bug: Bug) -> None:
        """Add a bug."""
        self._bugs.append(bug)

    @property
    def estimate(self) -> float:
        """How many seconds it will probably take to write all tests."""
        mean = self._seconds / self._written if self._written else FIRST_SECONDS
        return mean * len(self._bugs)

    def fits(self, seconds: float) -> bool:
        """Return whether all tests can probably be written in this time."""
        return self.estimate <= seconds

    def write_next(self, seconds: float) -> None:
        """Write the test of the first bug; `seconds` is the time that is left. The backlog must not be empty."""
        began, bug = self._clock(), self._bugs.popleft()
        try:
            self._write(bug, seconds)
        finally:
            self._seconds += self._clock() - began
            self._written += 1
