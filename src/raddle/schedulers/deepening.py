"""Exhaustive search by increasing number of preemptions: iterative context bounding (Musuvathi, Qadeer, PLDI 2007).

Round n runs every schedule with exactly n preemptions, starting with n = 0, until no schedules are left. Every schedule
with n preemptions branches off from a schedule with n - 1: where the former takes its last preemption, the latter lets
the running thread continue. Each round therefore records the preemptions that it did not take, and the next round
starts from them. Every schedule runs exactly once, whereas plain iterative deepening would repeat each round as part of
every later one.

Unlike the paper, this module searches schedules rather than states. Running each schedule exactly once costs memory:
the decisions and the untaken preemptions of each schedule are stored until the next round has processed them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from raddle.schedulers.base import Thread
from raddle.schedulers.exhaustive import Choice, DepthFirst


class _Deferred(NamedTuple):
    """The preemptions that one execution leaves for the next round."""

    taken: tuple[str, ...]  # decisions of the execution
    others: tuple[tuple[int, tuple[str, ...]], ...]  # (index of a decision, labels of the other enabled threads)


class Deepening(DepthFirst):
    """Runs all schedules, those with fewer preemptions first.

    >>> search = Deepening()
    >>> search.begin(1, 0)
    True
    """

    def __init__(self, *, preemptions: int | None = None) -> None:
        self._max_preemptions = preemptions
        self._restart()

    def _restart(self) -> None:
        self.bound = 0  # number of preemptions in the current round; schedules with fewer have been run
        self.cut = False
        self._started = False
        self._path = []
        self._fixed = 0  # number of decisions up to the last preemption; these are not varied
        self._found: list[tuple[int, tuple[str, ...]]] = []  # preemptions not taken in the current execution
        self._depth = 0
        self._now: deque[_Deferred] = deque()  # preemptions to take in this round
        self._place = (0, 0)  # position in the first entry of `_now`: index in `others`, index of the thread
        self._next: deque[_Deferred] = deque()  # preemptions to take in the next round

    def begin(self, number: int, space: int) -> bool:
        if space != self._space:  # scheduling points were added, so the set of schedules has changed
            self._restart()
            self._space = space
        elif self._started and not self._backtrack(fixed=self._fixed) and not self._next_preemption():
            return False
        self._started = True
        self._found = []
        self._depth = 0
        return True

    def _next_preemption(self) -> bool:
        """Continue with the next deferred preemption; return False if none is left."""
        if not self._now:
            if not self._next:
                return False
            self.bound += 1
            self._now, self._next = self._next, self._now
            self._place = (0, 0)
        deferred = self._now[0]
        at, which = self._place
        depth, labels = deferred.others[at]
        steps = (*deferred.taken[:depth], labels[which])
        self._path = [Choice((label,)) for label in steps]
        self._fixed = len(steps)
        if which + 1 < len(labels):
            self._place = (at, which + 1)
        elif at + 1 < len(deferred.others):
            self._place = (at + 1, 0)
        else:
            self._now.popleft()
            self._place = (0, 0)
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        depth = self._advance()
        if depth < len(self._path):
            return self._prescribed(depth, enabled)
        if current is not None and current in enabled:
            self._path.append(Choice((current.label,)))  # the next round preempts `current` here
            self._found.append((depth, tuple(t.label for t in enabled if t is not current)))
            return current
        self._path.append(Choice(tuple(t.label for t in enabled)))
        return enabled[0]

    def end(self) -> None:
        super().end()
        if self._found and self.bound == self._max_preemptions:
            self.cut = True
        elif self._found:
            last = self._found[-1][0]
            taken = tuple(decision.options[decision.taken] for decision in self._path[:last])
            self._next.append(_Deferred(taken, tuple(self._found)))

    def memory(self) -> object:
        return self._path, self._depth, self._found

    def remember(self, memory: object) -> None:
        found: Any = memory
        self._path, self._depth, self._found = found
