"""The strategy AutoConTest: one sequence per iteration, assembled into tests whose interleavings are confirmed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from raddle.generation.autocontest.assembler import Assembler
from raddle.generation.autocontest.confirmation import CallKind, Confirmation, RequirementRecord, confirm
from raddle.generation.autocontest.coverage import coverage
from raddle.generation.autocontest.predict import CallAccesses, CallPair
from raddle.generation.autocontest.pruning import ALL_RULES, Rules
from raddle.generation.autocontest.scenarios import ATOMIC_SETS, InterleavingCriterion
from raddle.generation.autocontest.sequence_builder import SequenceBuilder
from raddle.generation.autocontest.sequence_runner import RecordedCall, SequenceRunner
from raddle.generation.autocontest.sequences import FIRST_LEVEL, Limits, SearchResult, search
from raddle.generation.strategy import Prefix, Proposal, Strategy
from raddle.generation.testcase import Call, TestCase
from raddle.operation import WRITE

MAX_FAILED_ITERATIONS = 2  # consecutive iterations without a new call trace, after which the prefix is replaced
ROUNDS = 2  # rounds of a loop that call traces show; a third round would rarely show another interleaving
MAX_OBSERVERS = 8  # maximum number of calls that observe the state at the end of a test


@dataclass(frozen=True, slots=True)
class GeneratedSequence:
    """A sequence of the repository, with what its calls did."""

    calls: tuple[Call, ...]
    recorded: tuple[RecordedCall, ...]  # what each call did
    # What each call did when the sequence was run again, as the second thread of a test. An object that both recordings
    # use although it is not part of the shared object is a global one.
    recorded_again: tuple[RecordedCall, ...]
    accesses: tuple[CallAccesses, ...]
    accesses_again: tuple[CallAccesses, ...]

    @classmethod
    def make(
        cls, calls: Sequence[Call], recorded: Sequence[RecordedCall], again: Sequence[RecordedCall]
    ) -> GeneratedSequence:
        """Return a sequence, cut where a recording of it ends."""
        length = min(len(recorded), len(again))  # shorter than the sequence only if its calls are not deterministic
        one, other = tuple(recorded[:length]), tuple(again[:length])
        return cls(tuple(calls[:length]), one, other, tuple(map(CallAccesses, one)), tuple(map(CallAccesses, other)))


@dataclass(frozen=True, slots=True)
class AssembledTest:
    """A test as the paper defines it: two sequences that two threads execute after the same prefix."""

    prefix: tuple[Call, ...]
    first: GeneratedSequence
    second: GeneratedSequence

    @property
    def test(self) -> TestCase:
        """The complete test."""
        return TestCase(self.prefix, (self.first.calls, self.second.calls))


@dataclass(slots=True)
class Progress:
    """What the strategy has done so far."""

    searches: list[SearchResult] = field(default_factory=list)  # one for each iteration, even if it found nothing
    assembled: int = 0  # number of tests
    explored: int = 0  # number of tests whose confirmations have all been proposed
    calls_of_sequences: int = 0  # number of calls of all sequences and their prefixes, each sequence counted once
    calls_of_tests: int = 0  # number of calls of all tests


class AutoConTest(Strategy):
    """Generates tests for the interleavings of call traces that no earlier test covers."""

    name: ClassVar[str] = "autocontest"
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
        self._criterion, self._rules, self._limits = criterion, rules, limits
        self._level, self._rounds = level, rounds
        self.progress = Progress()
        self.requirements = RequirementRecord()
        self.restart()

    def restart(self) -> None:
        """Forget the sequences and the prefix, whose arguments come from the pools."""
        self._started: tuple[Prefix, SequenceRunner] | None = None
        self._assembler: Assembler[GeneratedSequence] = Assembler()
        self._tests: deque[AssembledTest] = deque()
        self._confirmations: Iterator[Confirmation] = iter(())
        self._observers: tuple[Call, ...] = ()
        self._numbers: dict[object, int] = {}  # numbers for shapes, calls and traces, because hashing them is slow
        self._explored_pairs: set[tuple[int, int, int]] = set()
        self._impossible: set[tuple[int, int]] = set()  # pairs without feasible requirements
        self._shortest: dict[bytes, tuple[Call, ...]] = {}  # maps each state to the shortest sequence to it
        self._failed_iterations = 0

    def propose(self) -> Proposal | None:
        """Return the next confirmation; None if this iteration found no sequence with new call traces."""
        while True:
            for confirmation in self._confirmations:
                if self.requirements.open_in(confirmation):
                    return Proposal(confirmation.test, partial(confirm, confirmation, self.requirements), measured=True)
            if self._tests:
                self._confirmations = self._explore(self._tests.popleft())
            elif not self.iterate():
                return None

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
        covered = coverage(call.trace for known in self._assembler.sequences for call in known.recorded)
        result = search(runner, edges, covered, rules=self._rules, limits=self._limits, level=self._level)
        if result is None:
            return False
        self._level = result.level
        for state, path in result.shortest.items():
            if len(path) < len(self._shortest.get(state, (*path, None))):
                self._shortest[state] = path
        self.progress.searches.append(result)
        if not result.calls:
            return False
        self.add(result.calls)
        if not coverage(call.trace for call in self._assembler.sequences[-1].recorded) - covered:
            return False  # the calls are not deterministic
        self._failed_iterations = 0
        return True

    def add(self, calls: Sequence[Call]) -> list[AssembledTest]:
        """Add a sequence to the repository; return the new tests, which `propose` then explores."""
        started = self._start()
        if started is None:
            return []
        prefix, runner = started
        sequence = GeneratedSequence.make(calls, runner.record(calls), runner.record(calls))
        tests = [AssembledTest(prefix.calls, *pair) for pair in self._assembler.add(sequence)]
        self._tests.extend(tests)
        progress, constructing = self.progress, len(prefix.calls)
        progress.assembled += len(tests)
        progress.calls_of_sequences += constructing + len(sequence.calls)
        progress.calls_of_tests += sum(constructing + len(test.first.calls) + len(test.second.calls) for test in tests)
        return tests

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
            self._observers = _observers(runner, builder.edges(prefix))
        return self._started

    # -- one test -----------------------------------------------------------------------------------

    def _explore(self, test: AssembledTest) -> Iterator[Confirmation]:
        """Yield the confirmations of a test, those of the most different pairs of calls first.

        Three passes go through the pairs. The first takes pairs of new shapes, the second takes pairs of shapes with
        new arguments, and the third takes pairs of new call traces.
        """
        one, other = self._keys(test.first), self._keys(test.second)
        for number in range(3):
            for first, keys in enumerate(one):
                for second, other_keys in enumerate(other):
                    pair = number, keys[number], other_keys[number]
                    if pair in self._explored_pairs or (keys[0], other_keys[0]) in self._impossible:
                        continue
                    self._explored_pairs.update((pair, (number, pair[2], pair[1])))
                    yield from self._confirmations_of(test, first, second)
        self.progress.explored += 1

    def _keys(self, sequence: GeneratedSequence) -> list[tuple[int, int, int]]:
        """Return for each call the number of its shape, of its shape with its arguments, and of its call trace."""
        number = self._numbers
        return [
            (
                number.setdefault(accesses.shape, len(number)),
                number.setdefault((accesses.shape, call), len(number)),
                number.setdefault(recorded.trace, len(number)),
            )
            for call, recorded, accesses in zip(sequence.calls, sequence.recorded, sequence.accesses, strict=True)
        ]

    def _confirmations_of(self, test: AssembledTest, first: int, second: int) -> Iterator[Confirmation]:
        """Yield the confirmations of two calls: one for each of the two candidate states, unless they are equal."""
        one, other = test.first.accesses[first], test.second.accesses_again[second]
        calls = test.first.calls[first], test.second.calls[second]
        pair = CallPair(one, other)
        predictions = pair.predict(self._criterion)
        self.requirements.predicted |= predictions.feasible.keys() | predictions.pruned
        self.requirements.pruned |= predictions.pruned
        if not predictions.feasible:
            shapes = self._numbers[one.shape], self._numbers[other.shape]
            self._impossible.update((shapes, shapes[::-1]))
            return
        states = [
            (test.first.recorded[first].state, test.first.calls[:first]),
            (test.second.recorded_again[second].state, test.second.calls[:second]),
        ]
        for candidate, (state, path) in enumerate(states[: 1 if states[0][0] == states[1][0] else 2]):
            prefix = (*test.prefix, *self._shortest.get(state, path))
            yield Confirmation(
                TestCase(prefix, ((calls[0],), (calls[1],)), self._observers),
                candidate,
                tuple(predictions.feasible.values()),
                calls=(CallKind(calls[0], one.shape), CallKind(calls[1], other.shape)),
                sites=pair.sites,
            )


def _observers(runner: SequenceRunner, edges: Sequence[Call]) -> tuple[Call, ...]:
    """Return calls without arguments that write nothing, which the oracle compares after the threads have ended."""
    found: list[Call] = []
    for call in dict.fromkeys(edges):
        if len(found) == MAX_OBSERVERS:
            break
        if not call.arguments and not call.keywords:
            recorded = runner.record([call])
            if recorded and not any(event.kind == WRITE for event in recorded[0].events):
                found.append(call)
    return tuple(found)
