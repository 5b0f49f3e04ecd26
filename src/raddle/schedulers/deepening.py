"""Exhaustive, with few preemptions first: iterative context bounding (Musuvathi, Qadeer, PLDI 2007).

First every schedule without a preemption, then every one with exactly one, and so on, until there are no
more. A schedule's last preemption says where it was found: in the schedule of one preemption less that goes
on where this one was stopped. So what is cut in one round is what the next round begins with, and every
schedule is run exactly once; plain iterative deepening would run those of each round again in all later ones.

Departures from the paper: it searches states, this searches schedules. The price of "exactly once" is memory:
each schedule of a round leaves behind its decisions and the places where it was not preempted, until the
next round has come to them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from raddle.schedulers.base import Thread
from raddle.schedulers.exhaustive import Choice, DepthFirst


class _Left(NamedTuple):
    """What an execution left to the next round."""

    taken: tuple[str, ...]  # its decisions
    others: tuple[tuple[int, tuple[str, ...]], ...]  # at which of them who else could have gone on


class Deepening(DepthFirst):
    """>>> search = Deepening()
    >>> search.begin(1, 0)
    True
    """

    def __init__(self, *, preemptions: int | None = None) -> None:
        self._most = preemptions
        self._restart()

    def _restart(self) -> None:
        self.bound = 0  # preemptions of the schedules under way; all those with fewer were run
        self.cut = False
        self._started = False
        self._path = []
        self._fixed = 0  # decisions that lead to the last preemption: not to be varied
        self._found: list[tuple[int, tuple[str, ...]]] = []
        self._depth = 0
        self._now: deque[_Left] = deque()
        self._place = (0, 0)  # in the first of these: which decision, which other thread
        self._next: deque[_Left] = deque()

    def begin(self, number: int, space: int) -> bool:
        if space != self._space:  # scheduling points were added: the schedules are others
            self._restart()
            self._space = space
        elif self._started and not self._backtrack(fixed=self._fixed) and not self._next_preemption():
            return False
        self._started = True
        self._found = []
        self._depth = 0
        return True

    def _next_preemption(self) -> bool:
        """Go on from the next place where somebody was not preempted, if there is one."""
        if not self._now:
            if not self._next:
                return False
            self.bound += 1
            self._now, self._next = self._next, self._now
            self._place = (0, 0)
        left = self._now[0]
        at, which = self._place
        depth, labels = left.others[at]
        steps = (*left.taken[:depth], labels[which])
        self._path = [Choice((label,)) for label in steps]
        self._fixed = len(steps)
        if which + 1 < len(labels):
            self._place = (at, which + 1)
        elif at + 1 < len(left.others):
            self._place = (at + 1, 0)
        else:
            self._now.popleft()
            self._place = (0, 0)
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        depth = self._advance()
        if depth < len(self._path):
            return self._wanted(depth, enabled)
        if current is not None and current in enabled:
            self._path.append(Choice((current.label,)))  # its preemptions are for the next round
            self._found.append((depth, tuple(t.label for t in enabled if t is not current)))
            return current
        self._path.append(Choice(tuple(t.label for t in enabled)))
        return enabled[0]

    def end(self) -> None:
        super().end()
        if self._found and self.bound == self._most:
            self.cut = True
        elif self._found:
            last = self._found[-1][0]
            taken = tuple(decision.options[decision.taken] for decision in self._path[:last])
            self._next.append(_Left(taken, tuple(self._found)))

    def memory(self) -> object:
        return self._path, self._depth, self._found

    def remember(self, memory: object) -> None:
        found: Any = memory
        self._path, self._depth, self._found = found
