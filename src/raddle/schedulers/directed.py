"""Directed: makes a certain interleaving happen.

After MAPTest's eager pattern scheduling (Wang et al., ASE 2019, Algorithm 5): the thread that brings the target nearer
runs, a thread that would spoil it is held back. Here the target is a plan (see `raddle.schedulers.plan`), so it can
come from any criterion; whoever makes plans gives them by `aim`. Departures from the paper:

* Threads are told by label, as an earlier execution showed who comes to which place.
* Where the thread whose turn it is cannot go on, the one runs that it waits for: who starts it, or who holds its lock.
* Everybody else waits; when the plan is done, cannot be followed any more, or there is none, POS goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raddle.labels import parent_label
from raddle.operation import DELETE, WRITE
from raddle.schedulers.base import Thread
from raddle.schedulers.partial_order_sampling import PartialOrderSampling
from raddle.schedulers.plan import Leg, Plan

SPARE = 50  # operations that a leg may take beyond twice as many as were expected
_DEEP = 8  # who waits for whom who waits for whom: further than that nobody is looked for


class Directed(PartialOrderSampling):
    """>>> directed = Directed(seed=1)
    >>> directed.begin(1, 0), directed.followed
    (True, False)
    """

    def __init__(self, seed: int, aim: Callable[[], Plan] = tuple) -> None:
        super().__init__(seed)
        self.aim = aim
        self.followed = False  # was the plan of the last execution followed to its end?
        self._legs: Plan = ()

    def begin(self, number: int, space: int) -> bool:
        super().begin(number, space)
        self._legs = self.aim()
        self._at = 0
        self._left = _patience(self._legs[0]) if self._legs else 0
        self._counts = {(leg.thread, leg.kind, leg.site): 0 for leg in self._legs if leg.site}
        self._met: dict[str, Thread] = {}  # threads by label
        self.followed = False
        return True

    @property
    def sees_forced_steps(self) -> bool:
        """A plan counts operations, also those at which there is nothing to decide."""
        return bool(self._legs)

    def chooser(self) -> Callable[[Any, Any], Any]:
        """Skip the plan if there is none: the rest is POS."""
        return self.choose if self._legs else super().choose

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if not self._legs:
            return super().choose(enabled, current)
        chosen = self._towards(enabled) if len(enabled) > 1 else enabled[0]
        if chosen is None:
            chosen = super().choose(enabled, current)
        if self._legs:
            done = chosen.label, _kind(chosen), chosen.site
            if done in self._counts:
                self._counts[done] += 1
        return chosen

    def memory(self) -> object:
        return self.followed

    def remember(self, memory: object) -> None:
        self.followed = bool(memory)

    def _towards(self, enabled: Sequence[Thread]) -> Thread | None:
        """The thread that brings the plan nearer to its end; None if anybody will do."""
        able = {thread.label: thread for thread in enabled}
        self._met.update(able)
        while self._at < len(self._legs):
            leg = self._legs[self._at]
            thread = able.get(leg.thread)
            if thread is not None and not self._stops(thread, leg):
                self._left -= 1
                if self._left < 0:
                    break
                return thread
            if thread is None:
                helper = self._helper(leg.thread, able)
                if helper is not None and (leg.site or not self._held(helper.label)):
                    return helper
                if leg.site:
                    break
            self._at += 1  # it came to where it is to stop, or as far as it could
            if self._at < len(self._legs):
                self._left = _patience(self._legs[self._at])
        else:
            self.followed = True
        self._legs = ()
        return None

    def _stops(self, thread: Thread, leg: Leg) -> bool:
        if not leg.site or thread.site != leg.site or _kind(thread) != leg.kind:
            return False
        return self._counts[leg.thread, leg.kind, leg.site] >= leg.times

    def _held(self, label: str) -> bool:
        """Is it the plan's wish that this thread waits?"""
        return any(leg.thread == label for leg in self._legs)

    def _helper(self, label: str, able: dict[str, Thread]) -> Thread | None:
        """Whoever has to go on first, so that the thread of that label can."""
        for _ in range(_DEEP):
            waiting = self._met.get(label)
            if waiting is None:  # not started yet
                label = parent_label(label)
            elif waiting.label != label or waiting.done:
                return None
            else:
                awaited = waiting.awaited
                if awaited is None:
                    return self._bystander(able)
                label = awaited.label
            if label in able:
                return able[label]
            if not label:
                return None
        return None

    def _bystander(self, able: dict[str, Thread]) -> Thread | None:
        """Somebody whom the rest of the plan does not name."""
        named = {leg.thread for leg in self._legs[self._at :]}
        others = [thread for label, thread in able.items() if label not in named]
        if len(others) > 1:
            return super().choose(others, None)
        return others[0] if others else None


def _patience(leg: Leg) -> int:
    return 2 * leg.steps + SPARE


def _kind(thread: Thread) -> str:
    return WRITE if thread.kind == DELETE else thread.kind
