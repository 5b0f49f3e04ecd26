"""How starts and joins order threads, of which a long program may have very many.

A thread's time is cut into segments, one for each thread that it starts, as in controlled executions. What a thread
knows of others is not copied from its parent: it is looked up there, as of the moment of the start.
"""

from __future__ import annotations

from typing import NamedTuple


class _Birth(NamedTuple):
    parent: int
    segment: int  # of the parent
    joins: int  # that the parent had made


class StartJoinOrder:
    """Which segments of which threads come before what.

    >>> order = StartJoinOrder()
    >>> order.start(0, 1)
    >>> order.last_ordered_segment(1, 0), order.segment(0)  # thread 0's segment before the start precedes thread 1
    (0, 1)
    >>> order.last_ordered_segment(0, 1)
    -1
    >>> order.join(0, 1)
    >>> order.start(0, 2)
    >>> order.last_ordered_segment(0, 1), order.last_ordered_segment(2, 1)
    (0, 0)
    """

    def __init__(self) -> None:
        self._segments: dict[int, int] = {}
        self._births: dict[int, _Birth] = {}
        self._joins: dict[int, int] = {}  # by thread: how many it has made
        self._joined: dict[int, dict[int, tuple[int, int]]] = {}  # by thread and other: its last segment, which join

    def segment(self, thread: int) -> int:
        """Return the segment that a thread is in."""
        return self._segments.get(thread, 0)

    def start(self, thread: int, child: int) -> None:
        segment = self._segments.get(thread, 0)
        self._births[child] = _Birth(thread, segment, self._joins.get(thread, 0))
        self._segments[thread] = segment + 1

    def join(self, thread: int, other: int) -> None:
        number = self._joins[thread] = self._joins.get(thread, 0) + 1
        mine = self._joined.setdefault(thread, {})
        found = {index: segment for index, (segment, _) in self._joined.get(other, {}).items()}
        birth = self._births.get(other)
        while birth is not None and birth.parent != thread:  # what it had from its ancestors
            found.setdefault(birth.parent, birth.segment)
            birth = self._births.get(birth.parent)
        found[other] = self.segment(other)
        for index, segment in found.items():
            if index != thread and self.last_ordered_segment(thread, index) < segment:
                mine[index] = (segment, number)

    def last_ordered_segment(self, thread: int, other: int) -> int:
        """Return the last segment of another thread that comes before what the thread does now, -1 if none does."""
        joins: int | None = None
        while True:
            known = self._joined.get(thread, {}).get(other)
            if known is not None and (joins is None or known[1] <= joins):
                return known[0]
            birth = self._births.get(thread)
            if birth is None:
                return -1
            if birth.parent == other:
                return birth.segment
            thread, joins = birth.parent, birth.joins
