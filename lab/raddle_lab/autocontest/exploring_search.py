"""A search that records faults and triggered requirements over time, and does not shrink the tests that fail."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b

from raddle.exploring.workbench import Workbench
from raddle.generation.autocontest.confirmation import RequirementRecord
from raddle.generation.autocontest.predict import Requirement
from raddle.generation.autocontest.sequence_builder import SequenceBuilder
from raddle.generation.autocontest.sequences import Limits
from raddle.generation.autocontest.strategy import AutoConTest, Progress
from raddle.generation.class_search import ClassSearch, Counts
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.sandbox import Sandbox
from raddle.generation.testcase import TestCase
from raddle.linearizability.checker import Failure
from raddle_lab.autocontest.cell import Approach
from raddle_lab.autocontest.contege_tests import ExploredConTeGe
from raddle_lab.maptest.symptoms import symptom_of


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure of a test."""

    seconds: float  # since the search began
    explored: int  # number of tests explored completely before
    executions: int
    symptom: str
    error: BaseException | None
    calls: tuple[str, ...]  # the methods that ran concurrently, in alphabetical order


@dataclass(frozen=True, slots=True)
class Triggered:
    """A requirement that was triggered for the first time."""

    seconds: float
    key: str  # the same in every process


class TimedAutoConTest(AutoConTest):
    """AutoConTest, with the time that its iterations take. No iteration continues after the end of the search."""

    def __init__(self, builder: SequenceBuilder, *, seconds_left: Callable[[], float]) -> None:
        super().__init__(builder)
        self.generation_seconds = 0.0
        self._seconds_left = seconds_left

    def iterate(self) -> bool:
        """Measure the time of an iteration."""
        began = time.monotonic()
        self.limits = Limits(seconds=self._seconds_left())
        try:
            return super().iterate()
        finally:
            self.generation_seconds += time.monotonic() - began


class ExploringSearch(ClassSearch):
    """Records what one approach does to one class, until the time is up."""

    def __init__(self, cls: type, options: GenerationOptions, *, approach: Approach) -> None:
        super().__init__(cls, options, on_test=self._after_test)
        self._approach = approach
        self._faults: dict[tuple[str, tuple[str, ...]], Fault] = {}  # the first one of each symptom and pair of calls
        self.triggered: list[Triggered] = []
        # Strategies on native threads have neither of the two.
        self.progress = Progress()
        self.requirements = RequirementRecord()
        self._timed: TimedAutoConTest | None = None

    @property
    def faults(self) -> list[Fault]:
        """The first failure of each symptom and pair of calls, in the order in which they were found."""
        return list(self._faults.values())

    @property
    def generation_seconds(self) -> float | None:
        """The time that the generation of tests took; None if it was not measured."""
        return None if self._timed is None else self._timed.generation_seconds

    def _prepare(self, workbench: Workbench, sandbox: Sandbox, stack: ExitStack) -> None:
        super()._prepare(workbench, sandbox, stack)
        builder = self._builder
        if self._approach is Approach.AUTOCONTEST:
            self._strategy = self._timed = timed = TimedAutoConTest(
                builder, seconds_left=lambda: self._options.seconds - self.seconds
            )
            self.progress, self.requirements = timed.progress, timed.requirements
        elif self._approach is Approach.CONTEGE_STAR:
            self._strategy = random = ExploredConTeGe(builder)
            self.progress, self.requirements = random.progress, random.requirements

    @property
    def explored_tests(self) -> int:
        """The number of tests that were explored completely. On native threads, each test is explored at once."""
        return self.counts.tests if self._approach is Approach.CONTEGE else self.requirements.explored_tests

    def _examine(self, test: TestCase, failure: Failure) -> None:
        """Record a failure instead of shrinking its test."""
        calls = tuple(sorted(str(call.method) for thread in test.threads for call in thread))
        symptom = symptom_of(failure.violation)
        explored = self.counts.tests - 1 if self._approach is Approach.CONTEGE else self.explored_tests
        fault = Fault(self.seconds, explored, self.counts.executions, symptom, failure.error, calls)
        self._faults.setdefault((symptom, calls), fault)

    def _after_test(self, counts: Counts, seconds: float) -> None:
        covered = list(self.requirements.covered)[len(self.triggered) :]
        self.triggered += [Triggered(seconds, key_of(requirement)) for requirement in covered]


def key_of(requirement: Requirement) -> str:
    """Return a short text that identifies a requirement in every process.

    Sites have the same numbers in every process.

    >>> key_of(Requirement(4, ())) == key_of(Requirement(5, ()))
    False
    """
    accesses = [(tuple(access.path), access.site, access.kind) for access in requirement.accesses]
    return blake2b(repr((requirement.pattern, accesses)).encode(), digest_size=6).hexdigest()


def sharing_instructions(requirements: Iterable[Requirement]) -> int:
    """Return the number of requirements that differ from another one only in their calling contexts.

    >>> from raddle.generation.autocontest.predict import AccessContext
    >>> one, other = (Requirement(4, (AccessContext((path,), 7, "read"),)) for path in (1, 2))
    >>> sharing_instructions([one, other, Requirement(5, one.accesses)])
    2
    """
    counts = Counter(requirement.instructions for requirement in requirements)
    return sum(count for count in counts.values() if count > 1)
