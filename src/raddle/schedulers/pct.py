"""PCT, probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010).

Threads get random priorities, and the enabled thread with the highest priority runs. At depth - 1 random steps, the
running thread's priority drops below all others. With n threads and k steps, a bug of depth d is found with probability
at least 1/(n k^(d-1)).

Unlike in the paper, k is not known in advance, so the length of the longest execution so far is used. Threads
created later get a random priority among the others. A thread that runs for a very long time while others are enabled
is assumed to be spinning, and its priority drops below all others. So if two threads spin while they wait for a
third, the third thread eventually runs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from raddle.schedulers.base import Alternative, Scheduler, Thread

SPINNING = 500  # consecutive steps that count as spinning; below the engine's own limit, which ignores priorities


class PCT(Scheduler):
    """Runs the thread with the highest priority, and lowers priorities at a few random steps.

    >>> pct = PCT(seed=1, depth=3)
    >>> pct.begin(1, 0)
    True
    """

    def __init__(self, seed: int, *, depth: int = 3) -> None:
        self._seed = seed
        self._depth = depth
        self._longest = 16
        self._random = random.Random()

    def begin(self, number: int, space: int) -> bool:
        self._random.seed(self._seed * 1_000_003 + number)
        self._steps = 0
        self._priorities: dict[str, float] = {}
        self._changes = {self._random.randrange(self._longest) for _ in range(self._depth - 1)}
        self._lowest = 0.0
        self._last: Thread | None = None
        self._streak = 0
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        priorities = self._priorities
        for thread in enabled:
            if thread.label not in priorities:
                priorities[thread.label] = 1.0 + self._random.random()
        best = max(enabled, key=lambda t: priorities[t.label])
        self._streak = self._streak + 1 if best is self._last else 0
        if self._steps in self._changes or self._streak >= SPINNING:
            self._lowest -= 1.0
            priorities[best.label] = self._lowest
            best = max(enabled, key=lambda t: priorities[t.label])
            self._streak = 0
        self._last = best
        self._steps += 1
        return best

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        return self._random.randrange(len(options))

    def end(self) -> None:
        self._longest = max(self._longest, self._steps)

    def memory(self) -> object:
        return self._steps

    def remember(self, memory: object) -> None:
        assert isinstance(memory, int)
        self._steps = memory
