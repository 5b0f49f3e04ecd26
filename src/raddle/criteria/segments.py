"""Segments of threads, delimited by starts and joins, and the order between them.

Each start and each join that a thread performs ends a segment. All steps of a segment have the same position in the
order that starts and joins impose, so one clock per segment captures that order. Other synchronization can also order
accesses, but the order may differ in another execution.
"""

from __future__ import annotations

from collections.abc import Mapping

MAX_SEGMENTS = 256  # maximum number of segments in one execution; if there are more, nothing counts as ordered
_NOTHING: Mapping[int, int] = {}


class Segments:
    """The segments of the threads of one execution.

    >>> segments = Segments()
    >>> segments.start(0, 1)
    >>> segments.join(0, 1)
    >>> segments.of(0), segments.clock(1, 0), segments.clock(0, 2)  # T1 begins after T0's segment 0
    (2, {0: 0}, {1: 0})
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # number of each thread's current segment
        self._clocks: dict[tuple[int, int], dict[int, int]] = {}  # by thread and segment
        self.overflowed = False

    def of(self, thread: int) -> int:
        """Return the number of the current segment of a thread."""
        return self._numbers.get(thread, 0)

    def clock(self, thread: int, segment: int) -> Mapping[int, int]:
        """Map each thread to its last segment that always comes before the given segment."""
        return self._clocks.get((thread, segment), _NOTHING)

    def start(self, starter: int, started: int, *, begun: bool = False) -> None:
        """Record a thread start.

        If `begun`, the new thread has already taken steps, so these steps are not ordered after the start.
        """
        if not begun and not self.overflowed:
            number = self.of(starter)
            self._clocks[started, 0] = {**self.clock(starter, number), starter: number}
        self.cut(starter, _NOTHING)

    def join(self, joiner: int, joined: int) -> None:
        """Record that a thread has joined another thread."""
        last = self.of(joined)
        self.cut(joiner, {**self.clock(joined, last), joined: last})

    def cut(self, thread: int, predecessors: Mapping[int, int]) -> None:
        """Begin the next segment of a thread, which comes after the given segments of other threads."""
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
