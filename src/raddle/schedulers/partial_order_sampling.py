"""POS, partial order sampling (Yuan, Yang, Gu, CAV 2018).

Every pending operation has a random priority, and the highest runs. What raced with it, that is whatever
touches the same thing so that the order matters, gets a fresh priority: who lost one race does not lose the
next one for that reason. Partial orders come up with a much more even probability than under a random walk,
which tells apart interleavings that nobody can tell apart.

Departures from the paper: a priority belongs to a thread until the thread is chosen. Where only one thread
can go on nobody is asked, so a thread that went some steps alone is noticed only if it is the one that ran
last; otherwise the operation it came to keeps the priority of the one before. Operations on anything but
variables race if they have the same target, unless both only look.
"""

from __future__ import annotations

from collections.abc import Sequence

from raddle.operation import ACCESSES, OBSERVATIONS
from raddle.schedulers.base import Thread
from raddle.schedulers.rng import FACTOR, MASK, SUMMAND, RandomScheduler, first_state


class PartialOrderSampling(RandomScheduler):
    """>>> pos = PartialOrderSampling(seed=1)
    >>> pos.begin(1, 0)
    True
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._priorities: dict[int, int] = {}  # by index of the thread; 0: to be drawn
        self._last: Thread | None = None

    def begin(self, number: int, space: int) -> bool:
        self._state = first_state(self._seed, number)
        self._priorities = {}
        self._last = None
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        priorities = self._priorities
        if current is not self._last and current is not None:
            priorities[current.index] = 0  # it went on alone, to another operation
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
    """Does the order of these two matter? Both have the same target."""
    if one.kind in OBSERVATIONS and other.kind in OBSERVATIONS:
        return False
    # A name is only that of a variable; after another operation it is left over from the access before.
    return one.name == other.name or one.kind not in ACCESSES or other.kind not in ACCESSES
