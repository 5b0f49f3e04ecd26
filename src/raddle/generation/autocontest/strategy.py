"""The strategy AutoConTest: one sequence per iteration, assembled into tests whose interleavings are confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from raddle.generation.autocontest.assembled_test import AssembledTest, GeneratedSequence, calls_made
from raddle.generation.autocontest.assembler import Assembler
from raddle.generation.autocontest.confirmation import RequirementRecord
from raddle.generation.autocontest.coverage import Coverage, coverage
from raddle.generation.autocontest.explorer import InterleavingExplorer
from raddle.generation.autocontest.pruning import ALL_RULES, Rules
from raddle.generation.autocontest.scenarios import ATOMIC_SETS, InterleavingCriterion
from raddle.generation.autocontest.sequence_builder import SequenceBuilder
from raddle.generation.autocontest.sequence_runner import RecordedCall, SequenceRunner
from raddle.generation.autocontest.sequences import FIRST_LEVEL, Limits, SearchResult, search
from raddle.generation.strategy import Prefix, Proposal, Strategy
from raddle.generation.testcase import Call

MAX_FAILED_ITERATIONS = 2  # consecutive iterations without a new call trace, after which the prefix is replaced
ROUNDS = 2  # rounds of a loop that call traces show at first; more are shown when no new traces are found


@dataclass(slots=True)
class Progress:
    """What the strategy has done so far."""

    searches: list[SearchResult] = field(default_factory=list)  # one for each iteration, even if it found nothing
    assembled: int = 0  # number of tests
    # Numbers of calls, including those that construct arguments.
    calls_of_sequences: int = 0  # of all sequences and their prefixes, each sequence counted once
    calls_of_tests: int = 0  # of all tests


class AutoConTest(Strategy):
    """Generates tests for the interleavings of call traces that no earlier test covers."""

    name: ClassVar[str] = "autocontest"
    restart_after: ClassVar[int | None] = None  # each iteration has other arguments
    builder: SequenceBuilder

    def __init__(
        self,
        builder: SequenceBuilder,
        *,
        criterion: InterleavingCriterion = ATOMIC_SETS,
        rules: Rules = ALL_RULES,
        limits: Limits | None = None,
        level: int = FIRST_LEVEL,
        rounds: int | None = ROUNDS,
    ) -> None:
        super().__init__(builder)
        self.limits = limits  # of the search in each iteration
        self._criterion, self._rules = criterion, rules
        self._level, self._rounds = level, rounds
        self.progress = Progress()
        self.requirements = RequirementRecord()
        self.restart()

    def restart(self) -> None:
        """Forget the sequences and the prefix, whose arguments come from the pools."""
        self._started: tuple[Prefix, SequenceRunner] | None = None
        self._assembler: Assembler[GeneratedSequence] = Assembler()
        self.explorer = InterleavingExplorer(self._criterion, requirements=self.requirements)
        self._failed_iterations = 0

    def propose(self) -> Proposal | None:
        """Return the next confirmation; None if there is none after another iteration."""
        proposal = self.explorer.propose()
        if proposal is None and self.iterate():
            proposal = self.explorer.propose()
        return proposal

    # -- one iteration ------------------------------------------------------------------------------

    def iterate(self) -> bool:
        """Search for the next sequence and assemble its tests; return False if there is no such sequence."""
        if self._failed_iterations >= MAX_FAILED_ITERATIONS:
            self.restart()
        self._failed_iterations += 1
        started = self._start()
        if started is None:
            return False
        prefix, runner = started
        edges = self.builder.edges(prefix)
        while True:
            covered = self._covered(runner)
            result = search(runner, edges, covered, rules=self._rules, limits=self.limits, level=self._level)
            if result is None:
                return False
            self._level = result.level
            for state, path in result.shortest.items():
                self.explorer.learn_path(state, path)
            self.progress.searches.append(result)
            if result.calls:
                break
            if not runner.show_more_rounds():
                return False
        self.add(result.calls)
        if not self._covered(runner) - covered:
            return False  # the calls are not deterministic
        self._failed_iterations = 0
        return True

    def _covered(self, runner: SequenceRunner) -> Coverage:
        """Return the call traces of all sequences of the repository."""
        return coverage(runner.trace(call.events) for one in self._assembler.sequences for call in one.recorded)

    def add(self, calls: Sequence[Call]) -> list[AssembledTest]:
        """Add a sequence to the repository; return the new tests, which `propose` then explores."""
        started = self._start()
        if started is None:
            return []
        prefix, runner = started
        sequence = GeneratedSequence.make(calls, runner.record(calls), runner.record(calls))
        tests = [AssembledTest(prefix.calls, *pair) for pair in self._assembler.add(sequence)]
        self.explorer.add(tests)
        progress = self.progress
        progress.assembled += len(tests)
        progress.calls_of_sequences += calls_made(prefix.calls) + calls_made(sequence.calls)
        progress.calls_of_tests += sum(test.calls for test in tests)
        return tests

    def record(self, calls: Sequence[Call]) -> Sequence[RecordedCall]:
        """Return what the calls of a sequence do after the prefix."""
        started = self._start()
        return () if started is None else started[1].record(calls)

    def _start(self) -> tuple[Prefix, SequenceRunner] | None:
        """Return the prefix of all sequences and their runner; None if no constructor works."""
        if self._started is None:
            builder, prefix = self.builder, self.builder.prefix(max_calls=0)
            if prefix is None:
                return None
            runner = SequenceRunner(
                builder.workbench,
                prefix.calls,
                reset=builder.reset,
                folder=builder.folder,
                rounds=self._rounds,
                global_ids=builder.global_ids,
            )
            self._started = prefix, runner
        return self._started
