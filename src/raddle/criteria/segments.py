"""Segments: what threads do between starts and joins, and which of it always comes before which.

A thread's time is cut by each start and each join that it does. Everything in a segment has the same place in the order
that starts and joins dictate, so a clock for each segment captures that order. Other synchronization can order
accesses, too, but it may do so in another way in another execution.
"""

from __future__ import annotations

from collections.abc import Mapping

MAX_SEGMENTS = 256  # segments of one execution; where there are more, nothing is known to be ordered
_NOTHING: Mapping[int, int] = {}


class Segments:
    """Follows the threads of one execution.

    >>> segments = Segments()
    >>> segments.start(0, 1)
    >>> segments.join(0, 1)
    >>> segments.of(0), segments.clock(1, 0), segments.clock(0, 2)  # T0's first segment, T1, T0's third
    (2, {0: 0}, {1: 0})
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # by thread
        self._clocks: dict[tuple[int, int], dict[int, int]] = {}  # by thread and segment
        self.overflowed = False

    def of(self, thread: int) -> int:
        """Return the number of the segment that a thread is in."""
        return self._numbers.get(thread, 0)

    def clock(self, thread: int, segment: int) -> Mapping[int, int]:
        """Return, by thread, the last of its segments that comes before this one."""
        return self._clocks.get((thread, segment), _NOTHING)

    def start(self, starter: int, started: int, *, begun: bool = False) -> None:
        """A thread starts another one; `begun`: that one was seen before, so that not all of it comes after this."""
        if not begun and not self.overflowed:
            number = self.of(starter)
            self._clocks[started, 0] = {**self.clock(starter, number), starter: number}
        self.cut(starter, _NOTHING)

    def join(self, joiner: int, joined: int) -> None:
        """A thread waits for the end of another one."""
        last = self.of(joined)
        self.cut(joiner, {**self.clock(joined, last), joined: last})

    def cut(self, thread: int, predecessors: Mapping[int, int]) -> None:
        """Begin the next segment of a thread, which comes after those that are given."""
        if self.overflowed:
            return
        number = self.of(thread)
        clock = dict(self.clock(thread, number))
        for other, last in predecessors.items():
            if other != thread and clock.get(other, -1) < last:
                clock[other] = last
        self._numbers[thread] = number + 1
        self._clocks[thread, number + 1] = clock
        if len(self._clocks) > MAX_SEGMENTS:
            self.overflowed = True
            self._clocks.clear()
