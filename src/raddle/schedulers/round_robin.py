"""Round-robin: threads run in turn, each for the same number of scheduling points.

Nothing is random. Executions differ in the quantum (the number of points per turn) and in the thread that begins: first
quantum 1 and the first thread, then quantum 1 and the second thread, then quantum 2 and the first, and so on along the
diagonals. So the scheduler does not need to know the number of threads or the length of the executions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from raddle.schedulers.base import Scheduler, Thread


class RoundRobin(Scheduler):
    """Runs each thread in turn for a fixed number of scheduling points.

    >>> scheduler = RoundRobin(quantum=2)
    >>> scheduler.begin(1, 0)
    True
    """

    def __init__(self, *, quantum: int | None = None) -> None:
        self._quantum = quantum
        self._turn = 1  # number of scheduling points per turn in this execution
        self._left = 0  # scheduling points left in the current turn
        self._place = 0  # index of the thread whose turn it is; before the first turn, the thread that begins
        self._begun = False

    def begin(self, number: int, space: int) -> bool:
        self._turn, self._place = (self._quantum, number - 1) if self._quantum else quantum_and_first(number)
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


def quantum_and_first(number: int) -> tuple[int, int]:
    """Return the quantum of the execution with this number, and the index of the thread that begins.

    >>> [quantum_and_first(number) for number in range(1, 7)]
    [(1, 0), (1, 1), (2, 0), (1, 2), (2, 1), (3, 0)]
    """
    diagonal = (isqrt(8 * number - 7) - 1) // 2
    along = number - 1 - diagonal * (diagonal + 1) // 2
    return along + 1, diagonal - along
