"""A search that records faults and coverage over time, and does not shrink the tests that fail."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice

from raddle.exploring.workbench import Workbench
from raddle.generation.autocontest.confirmation import RequirementRecord
from raddle.generation.autocontest.predict import Requirement
from raddle.generation.autocontest.strategy import AutoConTest, Progress
from raddle.generation.class_search import ClassSearch, Counts
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.sandbox import Sandbox
from raddle.generation.testcase import TestCase
from raddle.linearizability.checker import Failure
from raddle.linearizability.judgment import Oracle
from raddle_lab.autocontest.cell import CONTEGE, NATIVE_CONTEGE
from raddle_lab.autocontest.contege_explored import ConTeGeExplored
from raddle_lab.class_subject import ClassSubject
from raddle_lab.maptest.symptoms import DEADLOCK, WRONG_RESULT, matches
from raddle_lab.result_log import Json


class TimedAutoConTest(AutoConTest):
    """AutoConTest, with the time that it takes to generate tests."""

    generation_seconds = 0.0

    def iterate(self) -> bool:
        """Search for the next sequence and assemble its tests; return False if there is no such sequence."""
        began = time.monotonic()
        try:
            return super().iterate()
        finally:
            self.generation_seconds += time.monotonic() - began


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure that one pair of calls has."""

    seconds: float
    tests: int  # number of tests generated so far
    executions: int
    symptom: str
    is_known: bool  # whether it is a symptom of the class's known fault
    calls: str  # the calls of the two threads, in alphabetical order

    @property
    def kind(self) -> tuple[str, str]:
        return self.symptom, self.calls


class FaultSearch(ClassSearch):
    """Searches with one of the methods until its time is over."""

    def __init__(self, cls: type, options: GenerationOptions, subject: ClassSubject, *, method: str) -> None:
        super().__init__(cls, options, on_test=self._after_test)
        self._subject = subject
        self._method = method
        self._tests_natively = method == NATIVE_CONTEGE
        self.faults: dict[tuple[str, str], Fault] = {}
        self.covered: list[tuple[float, str]] = []  # when each requirement was covered for the first time

    def _prepare(self, workbench: Workbench, sandbox: Sandbox, stack: ExitStack) -> None:
        super()._prepare(workbench, sandbox, stack)
        self.progress, self.requirements = Progress(), RequirementRecord()
        if not self._tests_natively:
            builder = self._builder
            strategy = ConTeGeExplored(builder) if self._method == CONTEGE else TimedAutoConTest(builder)
            self._strategy = self.explored = strategy
            self.progress, self.requirements = strategy.progress, strategy.requirements

    def _examine(self, test: TestCase, failure: Failure) -> None:
        """Record a failure instead of shrinking its test."""
        violation = failure.violation
        symptom = {Oracle.EXCEPTIONS: violation.exception.rpartition(".")[2], Oracle.HANGS: DEADLOCK}.get(
            violation.oracle, WRONG_RESULT
        )
        names = sorted(" ".join(str(call.method).rpartition(".")[2] for call in thread) for thread in test.threads)
        fault = Fault(
            round(self.seconds, 3), self._tests, self.counts.executions, symptom,
            matches(symptom, failure.error, self._subject.symptoms), " | ".join(names),
        )  # fmt: skip
        self.faults.setdefault(fault.kind, fault)

    @property
    def _tests(self) -> int:
        return self.counts.tests if self._tests_natively else self.progress.assembled

    def _after_test(self, counts: Counts, seconds: float) -> None:
        new = islice(self.requirements.covered, len(self.covered), None)
        self.covered += [(round(seconds, 2), requirement_id(requirement)) for requirement in new]

    def as_json(self) -> Json:
        """Return what the search has found as JSON data."""
        progress, record = self.progress, self.requirements
        known = [fault for fault in self.faults.values() if fault.is_known]
        tested = {requirement for requirement, _, _ in record.attempts}
        return {
            "seconds": round(self.seconds, 3),
            "generation_seconds": 0.0 if self._tests_natively else round(self.explored.generation_seconds, 3),
            "tests": self.counts.tests if self._tests_natively else record.explored_tests,
            "generated": self._tests,
            "confirmations": self.counts.tests,
            "executions": self.counts.executions,
            "suite_size": progress.calls_of_sequences,
            "calls": progress.calls_of_tests,
            "first_fault": _json(known[0]) if known else None,
            "faults": [_json(fault) for fault in self.faults.values()],
            "predicted": len(record.predicted),
            "tested": len(tested),
            "tested_in_contexts": in_several_contexts(tested),
            "covered": [list(one) for one in self.covered],
        }


def _json(fault: Fault) -> Json:
    return {
        "seconds": fault.seconds, "tests": fault.tests, "executions": fault.executions, "symptom": fault.symptom,
        "is_known": fault.is_known, "calls": fault.calls,
    }  # fmt: skip


def requirement_id(requirement: Requirement) -> str:
    """Return a short text that is the same for a requirement in every process.

    >>> requirement_id(Requirement(4, ()))
    '13c81ec2'
    """
    text = f"{requirement.pattern} {[(path, site, str(kind)) for path, site, kind in requirement.accesses]}"
    return blake2b(text.encode(), digest_size=4).hexdigest()


def in_several_contexts(requirements: Iterable[Requirement]) -> int:
    """Return the number of requirements for which there is another one that differs only in its calling contexts.

    >>> from raddle.generation.autocontest.predict import AccessContext
    >>> def requirement(caller: int, site: int) -> Requirement:
    ...     return Requirement(1, (AccessContext((caller,), site, "read"),))
    >>> in_several_contexts([requirement(1, 5), requirement(2, 5), requirement(1, 6)])
    2
    """
    groups: dict[object, int] = {}
    for pattern, accesses in requirements:
        key = pattern, tuple((access.site, access.kind) for access in accesses)
        groups[key] = groups.get(key, 0) + 1
    return sum(size for size in groups.values() if size > 1)
