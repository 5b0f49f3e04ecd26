"""The result of test generation."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from raddle.finding import Finding
from raddle.generation.coverage_meter import CriterionCoverage, MeasuredCoverage
from raddle.generation.learned_values import LearnedValues
from raddle.generation.search_end import SearchEnd
from raddle.generation.surface import Sharing
from raddle.generation.targets import SkippedFile
from raddle.place import Place
from raddle.tally import UNKNOWN, Total

# What a finding in JSON says about the failing execution if no test was verified.
_NO_FAILURE: Mapping[str, Any] = {
    "thread": None, "possible_on": None, "every_order": None,
    "details": [], "notes": [], "steps": [], "preemptions": [],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GeneratedFinding:
    """A bug that generated calls reveal, with the test that was written for it.

    >>> GeneratedFinding("shop:Cart", "exception", "exceptions", "take() raised KeyError").command
    ''
    """

    cls: str  # the class, as "package.module:Class"
    kind: str  # "exception", "hang" or "outcome"
    oracle: str  # what is violated, one of the names of `--oracle`
    message: str  # what goes wrong, in one sentence
    calls: tuple[str, ...] = ()  # the calls that reveal the bug, as lines of source
    threads: tuple[tuple[str, ...], ...] = ()  # the methods that each thread calls
    exception: str = ""  # the qualified name of the exception that an illegal call raises
    function: str = ""  # the qualified name of the function that raises it, or that is interrupted
    variable: str = ""  # what another thread changes meanwhile, as "Owner.name"; "" if that is not known
    file: str = ""  # the test file; "" if there is none
    test: str = ""  # the name of the test function
    source: str = field(default="", repr=False)  # the text of the file
    schedule: str = ""  # reproduces the failure in the test
    place: Place | None = None  # where it goes wrong; None if that is not known
    story: str = field(default="", repr=False)  # the message of the failing test
    failure: Finding | None = field(default=None, repr=False)  # the failing execution; None if no test was verified
    reason: str = ""  # why there is no test file
    seconds: float = 0.0  # when the bug was found
    tests: int = 0  # number of tests until the bug was found
    executions: int = 0  # number of executions until the bug was found

    @property
    def command(self) -> str:
        """The command that runs the test; "" if there is none."""
        return shlex.join(["pytest", self.file]) if self.file else ""

    def as_json(self) -> dict[str, Any]:
        """Return the finding in its JSON form, which has the keys of the findings of `raddle explore --json`."""
        return {
            **(_NO_FAILURE if self.failure is None else self.failure.as_json()),
            "class": self.cls,
            "kind": self.kind,
            "oracle": self.oracle,
            "message": self.message,
            "calls": list(self.calls),
            "threads": [list(methods) for methods in self.threads],
            "exception": self.exception or None,
            "function": self.function or None,
            "variable": self.variable or None,
            "file": self.file or None,
            "test": self.test or None,
            "replay": self.command or None,
            "schedule": self.schedule or None,
            "place": None if self.place is None else self.place.as_json(),
            "story": self.story or None,
            "not_written": self.reason or None,
            "seconds": round(self.seconds, 3),
            "tests": self.tests,
            "execution": self.executions,
        }


@dataclass(frozen=True, slots=True)
class ClassReport:
    """What was tried with one class."""

    cls: str  # the class, as "package.module:Class"
    why: SearchEnd  # why the search ended
    sharing: frozenset[Sharing] = frozenset()  # why the class looks as if it was meant to be shared
    findings: tuple[GeneratedFinding, ...] = ()
    methods: tuple[str, ...] = ()  # the methods of the class
    called: tuple[str, ...] = ()  # the methods that tests called concurrently
    not_called: Mapping[str, str] = field(default_factory=dict)  # the other methods, each with the reason
    pairs: int = 0  # number of pairs of methods that tests called concurrently
    tests: int = 0
    executions: int = 0
    unusable: int = 0  # tests that could not be judged
    restarts: int = 0  # number of times the arguments were drawn again
    seconds: float = 0.0
    coverage: MeasuredCoverage = field(default_factory=MeasuredCoverage)
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    learned: LearnedValues | None = None  # the values learned from the tests of the project; None if none were run
    error: str = ""  # why the class was not tested
    traceback: str = ""  # of an internal error

    @property
    def possible_pairs(self) -> int:
        """The number of pairs of methods, including the pairs of a method with itself."""
        return len(self.methods) * (len(self.methods) + 1) // 2

    def as_json(self) -> dict[str, Any]:
        """Return the report in its JSON form, without the findings."""
        return {
            "class": self.cls,
            "stopped_because": self.why,
            "sharing": sorted(self.sharing),
            "findings": len(self.findings),
            "methods": list(self.methods),
            "methods_called": list(self.called),
            "methods_not_called": dict(self.not_called),
            "pairs": self.pairs,
            "pairs_possible": self.possible_pairs,
            "tests": self.tests,
            "tests_unusable": self.unusable,
            "tests_not_measured": self.tests - self.coverage.tests,
            "executions": self.executions,
            "executions_not_measured": self.executions - self.coverage.executions,
            "restarts": self.restarts,
            "seconds": round(self.seconds, 3),
            "criteria": {
                row.name: {**_criterion(row, self.coverage.executions), "missing": list(row.missing)}
                for row in self.coverage.criteria
            },
            "files": list(self.files),
            "notes": list(self.notes),
            "learned": None
            if self.learned is None
            else {"values": self.learned.count, "parameters": len(self.learned.values)},
            "error": self.error or _last_line(self.traceback) or None,
            "traceback": self.traceback or None,
        }


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2]


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """The result of `raddle.generate`: the findings, and what was tried with each class."""

    method: str
    seed: int
    classes: tuple[ClassReport, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()  # the files of a folder that could not be imported

    @property
    def findings(self) -> tuple[GeneratedFinding, ...]:
        """The bugs of all classes."""
        return tuple(finding for report in self.classes for finding in report.findings)

    @property
    def tests(self) -> int:
        """The number of tests that were run."""
        return sum(report.tests for report in self.classes)

    @property
    def has_tested(self) -> bool:
        """Whether a method of any class was tested."""
        return any(report.tests and report.why is not SearchEnd.NOTHING_WORKS for report in self.classes)

    @property
    def executions(self) -> int:
        """The number of executions of these tests."""
        return sum(report.executions for report in self.classes)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were written."""
        return tuple(file for report in self.classes for file in report.files)

    @property
    def coverage(self) -> Mapping[str, MeasuredCoverage]:
        """The coverage by class."""
        return {report.cls: report.coverage for report in self.classes}

    @property
    def criteria(self) -> Mapping[str, CriterionCoverage]:
        """The coverage of each criterion in all classes together. Different classes have different requirements."""
        sums: dict[str, CriterionCoverage] = {}
        for coverage in self.coverage.values():
            for row in coverage.criteria:
                sums[row.name] = _sum(sums[row.name], row) if row.name in sums else row
        return sums

    @property
    def failed(self) -> bool:
        return bool(self.findings)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return any(report.why is SearchEnd.INTERRUPTED for report in self.classes)

    @property
    def stopped_because(self) -> SearchEnd:
        """Why the search for bugs of the last class ended, or that it was interrupted."""
        return SearchEnd.INTERRUPTED if self.interrupted else self.classes[-1].why

    @property
    def _measured(self) -> int:
        """The number of executions whose coverage was measured."""
        return sum(coverage.executions for coverage in self.coverage.values())

    def as_json(self) -> dict[str, Any]:
        """Return the result in its JSON form."""
        return {
            "outcome": self.findings[0].kind if self.findings else "passed" if self.has_tested else "nothing-tested",
            "tests": self.tests,
            "executions": self.executions,
            "seconds": round(self.seconds, 3),
            "stopped_because": self.stopped_because,
            "seed": self.seed,
            "method": self.method,
            "findings": [finding.as_json() for finding in self.findings],
            "files": list(self.files),
            "criteria": {name: _criterion(row, self._measured) for name, row in self.criteria.items()},
            "executions_not_measured": self.executions - self._measured,
            "classes": [report.as_json() for report in self.classes],
            "files_skipped": [{"file": one.file, "reason": one.reason} for one in self.skipped],
            "notes": list(self.notes),
        }


def _criterion(row: CriterionCoverage, executions: int) -> dict[str, Any]:
    """Return the coverage of a criterion in its JSON form, which has keys of `raddle explore --json`."""
    return {
        "covered": row.covered,
        "total": row.total.number,
        "total_kind": row.total.kind,
        "percent": None if row.percent is None else round(row.percent, 4),
        "executions": executions,
    }


def _sum(one: CriterionCoverage, other: CriterionCoverage) -> CriterionCoverage:
    """Return the coverage of two classes together. The keys of their requirements could be the same, so none are kept.

    >>> from raddle.tally import STATIC
    >>> row = CriterionCoverage("map", 1, Total(4, STATIC))
    >>> _sum(row, row).percent
    25.0
    """
    numbers = (one.total.number, other.total.number)
    number = None if None in numbers else sum(value for value in numbers if value is not None)
    kind = one.total.kind if one.total.kind == other.total.kind else UNKNOWN
    return CriterionCoverage(one.name, one.covered + other.covered, Total(number, kind))
