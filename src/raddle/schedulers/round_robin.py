"""Round-robin: every thread in turn, each for the same number of scheduling points.

Nothing is random. Executions differ in how many points a turn lasts and in who begins: first turns of one
point begun by the first thread, then one point and the second thread, two points and the first, and so on
along the diagonals, so that neither the number of threads nor the length has to be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from raddle.schedulers.base import Scheduler, Thread


class RoundRobin(Scheduler):
    """>>> turns = RoundRobin(quantum=2)
    >>> turns.begin(1, 0)
    True
    """

    def __init__(self, *, quantum: int | None = None) -> None:
        self._quantum = quantum
        self._turn = 1
        self._left = 0
        self._place = 0  # the index of the thread whose turn it is; before the first turn, who begins
        self._begun = False

    def begin(self, number: int, space: int) -> bool:
        self._turn, self._place = (self._quantum, number - 1) if self._quantum else turn_and_first(number)
        self._begun = False
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if not self._begun:
            self._begun = True
            return self._take(enabled[self._place % len(enabled)])
        if current is not None and current.index == self._place and self._left > 0 and current in enabled:
            self._left -= 1
            return current
        for thread in enabled:
            if thread.index > self._place:
                return self._take(thread)
        return self._take(enabled[0])

    def _take(self, thread: Thread) -> Thread:
        self._place = thread.index
        self._left = self._turn - 1
        return thread


def turn_and_first(number: int) -> tuple[int, int]:
    """How long a turn is in the execution of that number, and the how-manieth thread begins.

    >>> [turn_and_first(number) for number in range(1, 7)]
    [(1, 0), (1, 1), (2, 0), (1, 2), (2, 1), (3, 0)]
    """
    diagonal = (isqrt(8 * number - 7) - 1) // 2
    along = number - 1 - diagonal * (diagonal + 1) // 2
    return along + 1, diagonal - along
