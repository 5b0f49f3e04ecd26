"""Crash replay: what an execution had done when its process died.

The child that runs it counts its moments where the parent can see them. Should it die, a second child runs the same
execution, stops at the last of these moments, reports what it has done so far, and ends. So as long as no child dies,
only a number is kept.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.observer import Observer


class Pulse:
    """Counted by a child, read by its parent."""

    def __init__(self) -> None:
        self._count = memoryview(mmap.mmap(-1, 8)).cast("q")  # shared with children
        self._last = 0
        self.tell: Callable[[str], None] = lambda thread: None  # called at the last moment

    @property
    def count(self) -> int:
        return self._count[0]

    def begin(self, *, last: int = 0) -> None:
        """Count from 0 on; call `tell` at the last moment, if that is known."""
        self._count[0], self._last = 0, last

    def beat(self, thread: str) -> None:
        """Count another moment, in that thread."""
        self._count[0] = count = self._count[0] + 1
        if count == self._last:
            self.tell(thread)


class DecisionPulse(Observer):
    """Counts the decisions of an execution."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse

    def decided(self, me: Carrier) -> None:
        self._pulse.beat(me.label)


class MomentPulse(DecisionPulse):
    """Counts everything that happens in an execution; comes after the observers that record it."""

    def decided(self, me: Carrier) -> None:
        """Do nothing: the chosen thread passes its scheduling point next."""

    def _beat(self, me: Carrier, *args: Any, **details: Any) -> None:
        self._pulse.beat(me.label)

    began = passed = accessed = happened = entered = left = _beat
