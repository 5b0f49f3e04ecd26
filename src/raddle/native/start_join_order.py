"""The happens-before order that thread starts and joins establish.

A thread enters a new segment each time it starts another thread, as in controlled executions. A long-running program
may start many threads, so a child does not copy its parent's order. Instead, a lookup for the child falls back to the
part of its parent's order that precedes the start of the child.
"""

from __future__ import annotations

from typing import NamedTuple


class _Start(NamedTuple):
    """The start of a thread: its parent, and the point that the parent had reached."""

    parent: int
    segment: int  # the parent's segment at the start
    joins: int  # number of joins that the parent had completed


class StartJoinOrder:
    """Tracks which segments of other threads happen before the current operation of each thread.

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
        self._starts: dict[int, _Start] = {}
        self._joins: dict[int, int] = {}  # maps a thread to the number of joins it has completed
        # For each thread: maps another thread to the last segment of that other thread that happens before some join
        # by the first thread, and to the number of that join.
        self._joined: dict[int, dict[int, tuple[int, int]]] = {}

    def segment(self, thread: int) -> int:
        """Return the current segment of a thread."""
        return self._segments.get(thread, 0)

    def start(self, thread: int, child: int) -> None:
        """Record that `thread` starts `child`."""
        segment = self._segments.get(thread, 0)
        self._starts[child] = _Start(thread, segment, self._joins.get(thread, 0))
        self._segments[thread] = segment + 1

    def join(self, thread: int, other: int) -> None:
        """Record that `thread` joins `other`: whatever happens before the end of `other` happens before the join."""
        number = self._joins[thread] = self._joins.get(thread, 0) + 1
        mine = self._joined.setdefault(thread, {})
        found = {index: segment for index, (segment, _) in self._joined.get(other, {}).items()}
        start = self._starts.get(other)
        while start is not None and start.parent != thread:  # add the order that `other` inherited from its ancestors
            found.setdefault(start.parent, start.segment)
            start = self._starts.get(start.parent)
        found[other] = self.segment(other)
        for index, segment in found.items():
            if index != thread and self.last_ordered_segment(thread, index) < segment:
                mine[index] = (segment, number)

    def last_ordered_segment(self, thread: int, other: int) -> int:
        """Return the last segment of `other` that happens before the current operation of `thread`; -1 if none does."""
        joins: int | None = None
        while True:
            joined = self._joined.get(thread, {}).get(other)
            if joined is not None and (joins is None or joined[1] <= joins):
                return joined[0]
            start = self._starts.get(thread)
            if start is None:
                return -1
            if start.parent == other:
                return start.segment
            thread, joins = start.parent, start.joins
