"""Fixed decisions: repeats an execution, decision by decision."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.decision import Decision
from raddle.schedulers.base import Alternative, Scheduler, Thread
from raddle.schedulers.sequential import Sequential


class FixedDecisions(Scheduler):
    """Repeats the given decisions in order, then continues without preemption.

    >>> FixedDecisions([1, 2, 1]).differed is None
    True
    """

    def __init__(self, decisions: Sequence[int]) -> None:
        self._decisions = decisions
        self._at = 0
        self._tail = Sequential()
        self._alternative: int | None = None  # index of the alternative in the last decision, until it is used
        self.differed: int | None = None  # index of the first decision that could not be repeated

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        self._alternative = None
        if self._at < len(self._decisions) and self.differed is None:
            decision = Decision(self._decisions[self._at])
            wanted = decision.thread
            for thread in enabled:
                if thread.index == wanted:
                    self._at += 1
                    self._alternative = decision.alternative
                    return thread
            self.differed = self._at
        return self._tail.choose(enabled, current)

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        wanted, self._alternative = self._alternative, None
        if wanted is None:  # no other thread was enabled, so the alternative is a separate decision
            if self._at == len(self._decisions) or self.differed is not None:
                return 0
            decision = Decision(self._decisions[self._at])
            wanted = decision.alternative if decision.thread == thread.index else None
            self._at += 1
        if wanted is not None and wanted < len(options):
            return wanted
        self.differed = self._at - 1
        return 0
