"""The paper's ConTeGe*: the random tests of ConTeGe, explored by AutoConTest's explorer.

`raddle generate --method contege*` runs the same tests under random schedules instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from raddle.generation.autocontest.assembled_test import AssembledTest, GeneratedSequence, calls_made
from raddle.generation.autocontest.confirmation import RequirementRecord
from raddle.generation.autocontest.explorer import InterleavingExplorer
from raddle.generation.autocontest.sequence_builder import SequenceBuilder
from raddle.generation.autocontest.sequence_runner import SequenceRunner
from raddle.generation.autocontest.strategy import ROUNDS, Progress
from raddle.generation.contege import ConTeGeStar
from raddle.generation.strategy import Proposal, Strategy
from raddle.generation.testcase import Call, TestCase


class ExploredConTeGe(Strategy):
    """Proposes confirmations for the requirements that ConTeGe's tests match."""

    name: ClassVar[str] = "contege-explored"
    restart_after: ClassVar[int | None] = None  # as for AutoConTest
    builder: SequenceBuilder

    def __init__(self, builder: SequenceBuilder) -> None:
        super().__init__(builder)
        self.progress = Progress()
        self.requirements = RequirementRecord()
        self._random_tests = ConTeGeStar(builder)
        self._counted: set[tuple[tuple[Call, ...], tuple[Call, ...]]] = set()
        self.restart()

    def restart(self) -> None:
        """Forget the tests, whose arguments come from the pools."""
        self._random_tests.restart()
        self.explorer = InterleavingExplorer(requirements=self.requirements)

    def propose(self) -> Proposal | None:
        """Return the next confirmation; None if no random test could be built this time."""
        while True:
            proposal = self.explorer.propose()
            if proposal is not None:
                return proposal
            random_test = self._random_tests.propose()
            if random_test is None:
                return None
            self._add(random_test.test)

    def _add(self, test: TestCase) -> None:
        runner = self._runner(test.prefix)
        first, second = (
            GeneratedSequence.make(calls, runner.record(calls), runner.record(calls)) for calls in test.threads
        )
        self.explorer.add([AssembledTest(test.prefix, first, second)])
        progress = self.progress
        progress.assembled += 1
        progress.calls_of_tests += calls_made(test.calls())
        for calls in test.threads:
            if (test.prefix, calls) not in self._counted:
                self._counted.add((test.prefix, calls))
                progress.calls_of_sequences += calls_made((*test.prefix, *calls))

    def _runner(self, prefix: Sequence[Call]) -> SequenceRunner:
        builder = self.builder
        return SequenceRunner(
            builder.workbench,
            prefix,
            reset=builder.reset,
            folder=builder.folder,
            rounds=ROUNDS,
            global_ids=builder.global_ids,
        )
