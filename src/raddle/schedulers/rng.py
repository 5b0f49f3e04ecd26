"""Random numbers for one execution: Knuth's MMIX generator, seeded with the seed and the number of the execution.

Seeding the standard library's generator takes longer than all decisions of a small execution. A step is `state = (state
* FACTOR + SUMMAND) & MASK`. The step is written out wherever it is needed, because a function call would cost as much
as the step itself. Only the upper bits are random enough: compare whole states, or use `(state >> 32) * n >> 32` to
choose one of n.
"""

from __future__ import annotations

from collections.abc import Sequence

from raddle.schedulers.base import Alternative, Scheduler, Thread

MASK = (1 << 64) - 1
FACTOR = 6364136223846793005
SUMMAND = 1442695040888963407


def first_state(seed: int, number: int) -> int:
    """Return the initial state of an execution's generator, scrambled with SplitMix64's finalizer.

    >>> first_state(1, 1) != first_state(1, 2) != first_state(2, 1)
    True
    """
    state = (seed * 0x9E3779B97F4A7C15 + number * 0xD1342543DE82EF95 + 1) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


class RandomScheduler(Scheduler):
    """Base class of the schedulers that use this module's generator."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._state = 0

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        self._state = state = (self._state * FACTOR + SUMMAND) & MASK
        return (state >> 32) * len(options) >> 32
