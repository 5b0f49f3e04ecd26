"""Runs a test under controlled random schedules: the executions of `covcon*` and `contege*`."""

from __future__ import annotations

from collections.abc import Callable

from raddle.execute.session import Execution
from raddle.linearizability.checker import Checker, Failure
from raddle.schedulers.random_walk import RandomWalk


class RandomSchedules:
    """Runs each test a number of times. No two executions of a search use the same random numbers."""

    def __init__(self, seed: int, *, repetitions: int) -> None:
        self._walk = RandomWalk(seed)
        self._repetitions = repetitions
        self._executions = 0

    def run(
        self, checker: Checker, *, after_each: Callable[[Execution], None] = lambda execution: None
    ) -> Failure | None:
        """Run executions until one fails or the number of repetitions is reached; return the failure."""
        checker.prepare()
        for _ in range(self._repetitions):
            self._executions += 1
            self._walk.begin(self._executions, checker.session.known_points.version)
            execution, failure = checker.run(self._walk)
            after_each(execution)
            if failure is not None:
                return failure
        return None
