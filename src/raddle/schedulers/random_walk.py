"""The random walk: a scheduler that chooses uniformly among the enabled threads at every scheduling point."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.schedulers.base import Thread
from raddle.schedulers.rng import FACTOR, MASK, SUMMAND, RandomScheduler


class RandomWalk(RandomScheduler):
    """Chooses uniformly among the enabled threads at each point, which does not make all schedules equally likely.

    >>> walk = RandomWalk(seed=7)
    >>> walk.begin(1, 0)
    True
    """

    def begin(self, number: int, space: int) -> bool:
        # Every execution has its own generator. Seeding the standard library's generator takes longer than all
        # decisions of a small execution. The upper bits of Knuth's MMIX generator are random enough.
        state = (self._seed * 0x9E3779B97F4A7C15 + number * 0xBF58476D1CE4E5B9) & MASK
        self._state = state ^ (state >> 31)
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        self._state = state = (self._state * FACTOR + SUMMAND) & MASK
        return enabled[(state >> 32) * len(enabled) >> 32]
