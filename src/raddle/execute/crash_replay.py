"""Crash replay: reconstructs an execution up to the point where its process died.

The child process that runs an execution counts its events in memory shared with the parent. If the child dies, a second
child repeats the execution, stops at the last counted event, reports its state and exits. As long as no child dies, the
counter is the only cost.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.observer import Observer


class SharedCounter:
    """A counter that a child process increments and its parent reads."""

    def __init__(self) -> None:
        self._count = memoryview(mmap.mmap(-1, 8)).cast("q")  # shared with children
        self._last = 0
        self.on_last: Callable[[str], None] = lambda thread: None  # called at the last event, with the thread's label

    @property
    def count(self) -> int:
        return self._count[0]

    def begin(self, *, last: int = 0) -> None:
        """Restart at 0; if `last` is not 0, call `on_last` when the counter reaches `last`."""
        self._count[0], self._last = 0, last

    def increment(self, thread: str) -> None:
        """Count an event of the thread with this label."""
        self._count[0] = count = self._count[0] + 1
        if count == self._last:
            self.on_last(thread)


class DecisionCounter(Observer):
    """Counts the decisions of an execution."""

    def __init__(self, counter: SharedCounter) -> None:
        self._counter = counter

    def decided(self, me: Carrier) -> None:
        self._counter.increment(me.label)


class EventCounter(DecisionCounter):
    """Counts all events of an execution. It must be notified after the observers that record these events."""

    def decided(self, me: Carrier) -> None:
        """Do not count the decision; an event is counted when the chosen thread passes its scheduling point."""

    def _increment(self, me: Carrier, *args: Any, **details: Any) -> None:
        self._counter.increment(me.label)

    began = passed = accessed = happened = entered = left = _increment
