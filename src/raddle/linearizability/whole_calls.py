"""A depth-first search that runs calls one at a time: threads switch only between calls and at calls that block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from raddle.schedulers.base import Thread
from raddle.schedulers.exhaustive import Choice, DepthFirst


class Calls(Protocol):
    """What the search needs to know about the running execution."""

    def is_in_call(self, participant: int) -> bool:
        """Return whether the participant with this index is making a call."""

    def is_worker(self, participant: int) -> bool:
        """Return whether the participant with this index makes calls, rather than having been started by one."""


class WholeCalls(DepthFirst):
    """Runs every order of whole calls.

    A call that blocks stays pending, and another thread continues. Threads that the calls have started run whenever no
    call can continue.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._path = []

    def begin(self, number: int, space: int) -> bool:
        # Scheduling points that are added inside calls do not matter, so the search does not start over.
        if self._started and not self._backtrack():
            return False
        self._started = True
        self._depth = 0
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if current is not None and current in enabled and self._calls.is_in_call(current.index):
            return current
        first = enabled[0]
        if first.index == 0:  # the thread that starts the others
            return first
        options = [thread.label for thread in enabled if self._calls.is_worker(thread.index)]
        if len(options) < 2 and len(options) == len(enabled):
            return first
        depth = self._advance()
        if depth == len(self._path):
            self._path.append(Choice([thread.label for thread in enabled]))
        return self._prescribed(depth, enabled)
