"""Directed scheduling: makes a planned interleaving happen.

This follows MAPTest's eager pattern scheduling (Wang et al., ASE 2019, Algorithm 5): the thread that the target needs
next runs, and a thread that would make the target impossible is held back. Here the target is a plan (see
`raddle.schedulers.plan`), so any criterion can supply it. The callable `next_plan` returns the plan for the next
execution. Departures from the paper:

* Threads are identified by label, because an earlier execution showed which thread reaches which place.
* If the thread that the plan needs next cannot run yet, its parent or the thread that it waits for runs instead.
* All other threads wait. When the plan is finished, has failed or is empty, POS makes the decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raddle.labels import parent_label
from raddle.operation import DELETE, WRITE
from raddle.schedulers.base import Thread
from raddle.schedulers.partial_order_sampling import PartialOrderSampling
from raddle.schedulers.plan import Leg, Plan

SPARE = 50  # number of operations allowed in a leg, in addition to twice the expected number
_MAX_WAITS = 8  # maximum length of the chain of waiting threads that is followed to find a helper


class Directed(PartialOrderSampling):
    """Follows a plan. Without a plan, it decides like POS.

    >>> directed = Directed(seed=1)
    >>> directed.begin(1, 0), directed.followed
    (True, False)
    """

    def __init__(self, seed: int, next_plan: Callable[[], Plan] = tuple) -> None:
        super().__init__(seed)
        self.next_plan = next_plan
        self.followed = False  # True if the last execution followed its plan to the end
        self._legs: Plan = ()

    def begin(self, number: int, space: int) -> bool:
        super().begin(number, space)
        self._legs = self.next_plan()
        self._at = 0
        self._left = _patience(self._legs[0]) if self._legs else 0
        self._counts = {(leg.thread, leg.kind, leg.site): 0 for leg in self._legs if leg.site}
        self._threads: dict[str, Thread] = {}  # the threads that have been enabled so far, by label
        self.followed = False
        return True

    @property
    def sees_forced_steps(self) -> bool:
        """True if there is a plan: following a plan requires counting forced steps."""
        return bool(self._legs)

    def chooser(self) -> Callable[[Any, Any], Any]:
        """Return `choose`, or the `choose` of POS if there is no plan."""
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
        """Return the thread that the plan needs next; None if the plan is finished or has failed."""
        able = {thread.label: thread for thread in enabled}
        self._threads.update(able)
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
            self._at += 1  # the thread reached the end of its leg, or ran as far as it could
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
        """Return whether the plan names this thread. Such a thread must not run as a helper."""
        return any(leg.thread == label for leg in self._legs)

    def _helper(self, label: str, able: dict[str, Thread]) -> Thread | None:
        """Return the enabled thread that must run so that the thread with this label can continue; None if unknown."""
        for _ in range(_MAX_WAITS):
            waiting = self._threads.get(label)
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
        """Return an enabled thread that the rest of the plan does not name; None if there is none."""
        named = {leg.thread for leg in self._legs[self._at :]}
        others = [thread for label, thread in able.items() if label not in named]
        if len(others) > 1:
            return super().choose(others, None)
        return others[0] if others else None


def _patience(leg: Leg) -> int:
    return 2 * leg.steps + SPARE


def _kind(thread: Thread) -> str:
    return WRITE if thread.kind == DELETE else thread.kind
