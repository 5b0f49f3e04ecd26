"""A depth-first search that runs calls one at a time: threads switch only between calls and at calls that block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from raddle.operation import SLEEP
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

    A call that sleeps does not wait for another thread. If another thread makes a call in the meantime, the calls
    overlap, and the execution says nothing about orders of whole calls.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._path = []
        self.overlaps = False  # whether a call slept in this execution while another thread continued

    @property
    def sees_forced_steps(self) -> bool:
        """True, because a thread may be the only one that can continue while another one sleeps."""
        return True

    def begin(self, number: int, space: int) -> bool:
        # Scheduling points that are added inside calls do not matter, so the search does not start over.
        if self._started and not self._backtrack():
            return False
        self._started = True
        self._depth = 0
        self.overlaps = False
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if current is not None and self._calls.is_in_call(current.index) and not current.done:
            if current in enabled:
                return current
            if current.kind == SLEEP and self._calls.is_worker(current.index):
                self.overlaps = True
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
