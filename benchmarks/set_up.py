"""Measures the startup time of an exploration, both on a reused workbench and from scratch.

    python benchmarks/set_up.py

The startup time is the time from the call to `explore` until the scenario is first called. The script prints the median
of many measurements.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable

import raddle
from raddle.execute.thread_installation import Threads
from raddle.exploring.stop_rules import Budget
from raddle.exploring.workbench import Workbench
from raddle.instrument import Selection

ROUNDS = 200


def now() -> float:
    """Return the real time. `time.perf_counter` returns virtual time inside an exploration."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)


class Called:
    """A scenario with two threads that increment a counter. It records when it is first called."""

    def __init__(self) -> None:
        self.at = 0.0
        self.count = 0

    def __call__(self) -> None:
        self.at = self.at or now()
        threads = [threading.Thread(target=self.increment) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def increment(self) -> None:
        self.count += 1


def milliseconds(explore: Callable[[Callable[[], None]], object]) -> float:
    """Return the median time from the call to `explore` until its scenario is first called."""
    times = []
    for _ in range(ROUNDS):
        scenario = Called()
        begun = now()
        explore(scenario.__call__)
        times.append((scenario.at - begun) * 1_000)
    return statistics.median(times[1:])


def main() -> None:
    """Print both startup times."""
    with Workbench(Threads(Selection(sources=(__file__,)))) as workbench:
        one = Budget(executions=1)
        warm = milliseconds(lambda scenario: workbench.explore(scenario, scheduler="random", budget=one, shrink=False))
    cold = milliseconds(
        lambda scenario: raddle.explore(scenario, source=[__file__], scheduler="random", executions=1, shrink=False)
    )
    print(f"on a workbench   {warm:8.3f} ms (median of {ROUNDS - 1})")
    print(f"raddle.explore   {cold:8.3f} ms")


if __name__ == "__main__":
    main()
