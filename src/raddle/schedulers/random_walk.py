"""The random walk: at every scheduling point any thread that can go on, each as likely."""

from __future__ import annotations

import random
from collections.abc import Sequence

from raddle.schedulers.base import Stateless, Thread


class RandomWalk(Stateless):
    """Uniform over the threads at each point, which is not uniform over the schedules.

    >>> walk = RandomWalk(seed=7)
    >>> walk.begin(1, 0)
    True
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._random = random.Random()
        self._draw = self._random.random

    def begin(self, number: int, space: int) -> bool:
        self._random.seed(self._seed * 1_000_003 + number)
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        return enabled[int(self._draw() * len(enabled))]
