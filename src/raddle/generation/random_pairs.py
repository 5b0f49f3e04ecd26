"""Random method pairs on native threads: the method *Random* in research question 2 of the MAPTest paper.

Each test calls two random methods, one in each of two threads, and runs once without control of the interleaving. The
access patterns that occur are measured, so that their growth can be compared with MAPTest's.
"""

from __future__ import annotations

from raddle.generation.native_runs import NativeSettings, judge_natively, run_natively
from raddle.generation.raw_patterns import RawPattern
from raddle.generation.strategy import Proposal, Strategy, TestBuilder
from raddle.generation.tests_of_methods import build_test
from raddle.linearizability.checker import Checker, Failure


class RandomPairs(Strategy):
    """Random pairs of methods."""

    name = "random"
    is_controlled = False

    def __init__(self, builder: TestBuilder, settings: NativeSettings) -> None:
        super().__init__(builder)
        self._settings = settings
        self.covered: set[RawPattern] = set()  # all patterns that occurred

    def propose(self) -> Proposal | None:
        """Return a test of two random methods."""
        prefix = self.builder.prefix()
        if prefix is None or not self.builder.surface.methods:
            return None
        one, other = (self.builder.random.choice(self.builder.surface.methods) for _ in range(2))
        test = build_test(self.builder, prefix, [[one], [other]])
        return None if test is None else Proposal(test, self._execute, measured=True)

    def _execute(self, checker: Checker) -> Failure | None:
        result = run_natively(checker.harness.calls, self._settings, repetitions=1, patterns=True)
        checker.executions += result.repetitions
        self.covered |= result.patterns
        for steps, entities in result.observed:
            self._settings.on_observed(steps, entities)
        return judge_natively(result, checker.legal)
