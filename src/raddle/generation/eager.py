"""Eager scheduling: tries to make one pattern happen (Algorithm 5 of the MAPTest paper).

At each scheduling point, the thread that is about to perform the next step of the pattern runs. The thread that
performed the first step is t_a. If no thread is about to perform the next step, a random thread runs. No thread is held
back: a thread that performs an access of the pattern too early simply runs when it is chosen at random.

A thread that was drawn at random usually continues at the next scheduling points. If a thread was drawn at each point,
all threads would advance at about the same rate, and a long call could never be overtaken by a short one.

`raddle.schedulers.directed` also makes planned interleavings happen, but it holds threads back, so it does not serve as
MAPTest's scheduler.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from raddle.criteria.patterns import PATTERNS
from raddle.generation.raw_patterns import RawPattern
from raddle.operation import CONTENT, DELETE, WRITE
from raddle.schedulers.base import Thread
from raddle.schedulers.rng import FACTOR, MASK, SUMMAND, RandomScheduler, first_state

REDRAWN = 8  # the random thread is drawn again at one in so many scheduling points


class Operation(NamedTuple):
    """An operation that a thread was about to perform when it was chosen."""

    thread: int
    kind: str
    site: int


class Eager(RandomScheduler):
    """Runs the steps of a pattern as soon as threads are about to perform them.

    The sites of the pattern must be scheduling points. The steps on one variable must access one object.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.pattern: RawPattern | None = None
        self.done = 0  # number of steps of the pattern that have been performed

    def aim(self, pattern: RawPattern) -> None:
        """Set the pattern for the next execution."""
        self.pattern = pattern

    def begin(self, number: int, space: int) -> bool:
        self._state = first_state(self._seed, number)
        self.done = 0
        self.chosen: Counter[Operation] = Counter()  # how often threads were chosen to perform each operation
        self._favored = -1  # the index of the thread that was drawn last
        self.last: dict[int, Operation] = {}  # the operation for which each thread was last chosen
        self._threads: dict[str, int] = {}  # maps "A" and "B" to the index of a thread, once it has performed a step
        self._owners: dict[str, object] = {}  # maps "x" and "y" to the object that the variable belongs to
        return True

    @property
    def sees_forced_steps(self) -> bool:
        """True, because steps of the pattern also happen when only one thread is enabled."""
        return True

    @property
    def is_fair(self) -> bool:
        """False, because a forced switch would run another thread than the one whose step was counted."""
        return False

    @property
    def covered(self) -> bool:
        """Whether all steps of the pattern have been performed."""
        return self.pattern is not None and self.done == len(self.pattern.sites)

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        ready = [thread for thread in enabled if self._is_next(thread)]
        if ready:
            chosen = self._random(ready)
            self._perform(chosen)
            self._favored = -1
        else:
            chosen = self._random_thread(enabled)
        operation = self.last[chosen.index] = Operation(chosen.index, _kind(chosen), chosen.site)
        self.chosen[operation] += 1
        return chosen

    def _random_thread(self, enabled: Sequence[Thread]) -> Thread:
        """Return the thread that was drawn last, or now and then a new one."""
        if len(enabled) > 1 and self._below(REDRAWN) > 0:
            for thread in enabled:
                if thread.index == self._favored:
                    return thread
        chosen = self._random(enabled)
        self._favored = chosen.index
        return chosen

    def _random(self, threads: Sequence[Thread]) -> Thread:
        return threads[0] if len(threads) == 1 else threads[self._below(len(threads))]

    def _below(self, limit: int) -> int:
        """Return a random number below a limit."""
        self._state = state = (self._state * FACTOR + SUMMAND) & MASK
        return (state >> 32) * limit >> 32

    def _is_next(self, thread: Thread) -> bool:
        """Return whether a thread is about to perform the next step of the pattern.

        The first thread prepares the object before the others start, so its accesses are no steps of the pattern.
        """
        if thread.index == 0 or self.pattern is None or self.covered or thread.site != self.pattern.sites[self.done]:
            return False
        part = PATTERNS[self.pattern.number].parts[self.done]
        if part.kind != _kind(thread):
            return False
        _, name = self.pattern.x if part.variable == "x" else self.pattern.y
        if (CONTENT if name.endswith(CONTENT) else name) != thread.name:
            return False
        if part.variable in self._owners and self._owners[part.variable] is not thread.target:
            return False
        return all((index == thread.index) == (role == part.thread) for role, index in self._threads.items())

    def _perform(self, thread: Thread) -> None:
        assert self.pattern is not None
        part = PATTERNS[self.pattern.number].parts[self.done]
        self._threads[part.thread] = thread.index
        self._owners[part.variable] = thread.target
        self.done += 1

    def end(self) -> None:
        self._owners = {}


def _kind(thread: Thread) -> str:
    return WRITE if thread.kind == DELETE else thread.kind
