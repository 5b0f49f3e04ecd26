"""Does an execution again, decision by decision."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.schedulers.base import Scheduler, Thread
from raddle.schedulers.sequential import Sequential


class Again(Scheduler):
    """Takes the threads with these indexes, one decision after the other, then goes on without preemption.

    >>> Again([1, 2, 1]).differed is None
    True
    """

    def __init__(self, decisions: Sequence[int]) -> None:
        self._decisions = decisions
        self._at = 0
        self._tail = Sequential()
        self.differed: int | None = None  # the first decision whose thread could not go on

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if self._at < len(self._decisions) and self.differed is None:
            wanted = self._decisions[self._at]
            for thread in enabled:
                if thread.index == wanted:
                    self._at += 1
                    return thread
            self.differed = self._at
        return self._tail.choose(enabled, current)
