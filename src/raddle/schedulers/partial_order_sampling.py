"""POS, partial order sampling (Yuan, Yang, Gu, CAV 2018).

Every pending operation has a random priority, and the operation with the highest priority runs. Operations that race
with the chosen operation (they touch the same target and do not commute) get new priorities, so an operation that lost
one race is not more likely to lose the next. This samples partial orders more evenly than a random walk does, because a
random walk treats equivalent interleavings as different.

Unlike in the paper, a thread keeps its priority until it is chosen. The scheduler is not called for forced steps, which
are the steps of the only enabled thread. The scheduler notices forced steps only if they were taken by the thread that
ran last. After the forced steps of any other thread, that thread's pending operation keeps the priority of an earlier
operation. Operations on resources race if they have the same target, unless both only observe it.
"""

from __future__ import annotations

from collections.abc import Sequence

from raddle.operation import ACCESSES, OBSERVATIONS
from raddle.schedulers.base import Thread
from raddle.schedulers.rng import FACTOR, MASK, SUMMAND, RandomScheduler, first_state


class PartialOrderSampling(RandomScheduler):
    """Samples partial orders by giving operations random priorities.

    >>> pos = PartialOrderSampling(seed=1)
    >>> pos.begin(1, 0)
    True
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._priorities: dict[int, int] = {}  # maps a thread's index to its priority; 0 if a new one must be drawn
        self._last: Thread | None = None

    def begin(self, number: int, space: int) -> bool:
        self._state = first_state(self._seed, number)
        self._priorities = {}
        self._last = None
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        priorities = self._priorities
        if current is not self._last and current is not None:
            priorities[current.index] = 0  # the thread has taken forced steps and reached another operation
        best = enabled[0]
        highest = -1
        for thread in enabled:
            index = thread.index
            priority = priorities.get(index)
            if not priority:
                self._state = priority = (self._state * FACTOR + SUMMAND) & MASK
                priorities[index] = priority
            if priority > highest:
                highest = priority
                best = thread
        self._last = best
        priorities[best.index] = 0
        target = best.target
        if target is not None:
            for thread in enabled:
                if thread.target is target and thread is not best and race(thread, best):
                    priorities[thread.index] = 0
        return best


def race(one: Thread, other: Thread) -> bool:
    """Return whether the order of two pending operations on the same target matters."""
    if one.kind in OBSERVATIONS and other.kind in OBSERVATIONS:
        return False
    # `name` is valid only for accesses to variables; for other operations it is left over from an earlier access.
    return one.name == other.name or one.kind not in ACCESSES or other.kind not in ACCESSES
