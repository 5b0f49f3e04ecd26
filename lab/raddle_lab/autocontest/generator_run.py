"""Runs the generator of sequences alone, without exploring interleavings (research question 3)."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace

from raddle.generation.autocontest.pruning import Rules
from raddle.generation.autocontest.sequences import Limits
from raddle.generation.autocontest.strategy import MAX_FAILED_ITERATIONS, AutoConTest
from raddle.generation.class_search import ClassSearch
from raddle.generation.generation_options import GenerationOptions
from raddle_lab.result_log import Json

UNLIMITED = Limits(nodes=10**9, events=10**12, length=10**6, level=10**4)  # leaves only the time


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of the generator."""

    at_seconds: float  # when it ended
    seconds: float
    gain: int
    length: int
    level: int
    sequences: int  # number of sequences tried
    ended: bool  # whether it ended before the time limit
    ending: str


class GeneratorRun(ClassSearch):
    """Runs iterations until the time is over or no more call traces are found."""

    def __init__(self, cls: type, options: GenerationOptions, rules: Rules, *, max_iterations: int | None) -> None:
        super().__init__(cls, options)
        self._rules = rules
        self._max_iterations = max_iterations
        self.iterations: list[Iteration] = []

    def _search(self) -> None:
        strategy = AutoConTest(self._builder, rules=self._rules)
        strategy.record(())  # constructs the object for the first time, which instruments the class
        self._began = time.monotonic()
        failed = 0
        while not self._is_over and failed < MAX_FAILED_ITERATIONS:
            if self._max_iterations is not None and len(self.iterations) >= self._max_iterations:
                return
            began = self.seconds
            strategy.limits = replace(UNLIMITED, seconds=self._options.seconds - began)
            found = strategy.iterate()
            failed = 0 if found else failed + 1
            result = strategy.progress.searches[-1]
            now = self.seconds
            self.iterations.append(
                Iteration(
                    round(now, 3), round(now - began, 3), len(result.gained), len(result.calls), result.level,
                    result.nodes, result.ending.is_complete, str(result.ending),
                )
            )  # fmt: skip

    def as_json(self) -> Json:
        """Return the iterations as JSON data."""
        return {
            "seconds": round(self.seconds, 3),
            "iterations": [asdict(one) for one in self.iterations],
        }
