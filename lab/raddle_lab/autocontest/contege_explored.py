"""ConTeGe* as the paper on AutoConTest defines it: ConTeGe's tests with AutoConTest's interleaving explorer.

The method `contege*` of test generation is another one: it runs ConTeGe's tests under random schedules.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from raddle.generation.autocontest.assembled_test import AssembledTest, GeneratedSequence, calls_made
from raddle.generation.autocontest.confirmation import RequirementRecord
from raddle.generation.autocontest.explorer import InterleavingExplorer
from raddle.generation.autocontest.sequence_builder import SequenceBuilder
from raddle.generation.autocontest.sequence_runner import SequenceRunner
from raddle.generation.autocontest.strategy import ROUNDS, Progress
from raddle.generation.contege import ConTeGeStar
from raddle.generation.strategy import Proposal
from raddle.generation.testcase import Call, TestCase

Calls = tuple[Call, ...]


class ConTeGeExplored(ConTeGeStar):
    """Chooses tests like ConTeGe and explores them like AutoConTest."""

    builder: SequenceBuilder

    def __init__(self, builder: SequenceBuilder) -> None:
        self.requirements = RequirementRecord()
        self.progress = Progress()
        self.generation_seconds = 0.0
        super().__init__(builder)

    def restart(self) -> None:
        """Drop the prefixes and suffixes, which use arguments of the former pools."""
        super().restart()
        self.explorer = InterleavingExplorer(requirements=self.requirements)
        self._runners: dict[Calls, SequenceRunner] = {}
        self._sequences: dict[tuple[Calls, Calls], GeneratedSequence] = {}

    def propose(self) -> Proposal | None:
        """Return the next confirmation; None if no test could be built this time."""
        while True:
            proposal = self.explorer.propose()
            if proposal is not None:
                return proposal
            began = time.monotonic()
            test = self._next_test()
            if test is not None:
                self.explorer.add([self._assembled(test)])
            self.generation_seconds += time.monotonic() - began
            if test is None:
                return None

    def _assembled(self, test: TestCase) -> AssembledTest:
        first, second = (self._sequence(test.prefix, calls) for calls in test.threads)
        assembled = AssembledTest(test.prefix, first, second)
        self.progress.assembled += 1
        self.progress.calls_of_tests += assembled.calls
        return assembled

    def _sequence(self, prefix: Calls, calls: Sequence[Call]) -> GeneratedSequence:
        key = prefix, tuple(calls)
        if key not in self._sequences:
            if prefix not in self._runners:
                self._runners[prefix] = SequenceRunner(
                    self.builder.workbench,
                    prefix,
                    reset=self.builder.reset,
                    folder=self.builder.folder,
                    rounds=ROUNDS,
                    global_ids=self.builder.global_ids,
                )
            runner = self._runners[prefix]
            self._sequences[key] = GeneratedSequence.make(calls, runner.record(calls), runner.record(calls))
            self.progress.calls_of_sequences += calls_made((*prefix, *calls))
        return self._sequences[key]
