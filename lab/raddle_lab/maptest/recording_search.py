"""A search that records coverage and bugs over time, and does not shrink the tests that fail."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from raddle.analysis.feasibility import Feasibility
from raddle.criteria import make_criteria
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.execute.installation import Installation
from raddle.execute.session import Execution
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import is_test_site
from raddle.generation.class_search import ClassSearch, Counts
from raddle.generation.coverage_meter import CoverageMeter
from raddle.generation.distinct import innermost_frame
from raddle.generation.generation_options import GenerationOptions
from raddle.generation.maptest import MapTest
from raddle.generation.random_pairs import RandomPairs
from raddle.generation.sandbox import Sandbox
from raddle.generation.testcase import TestCase
from raddle.linearizability.checker import Failure
from raddle.operation import ACCESSES
from raddle.variable_scope import scope_of

BugKey = tuple[str, ...]


class CriteriaMeter(CoverageMeter):
    """Accumulates the coverage of one class under several criteria, and what shows patterns to be infeasible."""

    def __init__(self, cls: type, installation: Installation, criteria: Sequence[str], *, facts: bool) -> None:
        super().__init__(cls, installation)
        self._collects_facts = facts
        others = [name for name in criteria if name not in self._covered]
        self._others = make_criteria(others) if others else []
        self._covered |= {one.name: set() for one in self._others}
        self._feasibility = Feasibility()

    def add(self, execution: Execution) -> None:
        """Add the coverage of an execution. Accesses by the code of the test itself do not count."""
        super().add(execution)
        if execution.observed is None:
            return
        observed, entities = execution.observed
        if self._collects_facts:
            self._feasibility.begin(entities)
            self._feasibility.feed(observed)
        if not self._others:
            return
        early = self._installation.model().early
        steps = [step for step in observed if step[1] not in ACCESSES or not is_test_site(step[3])]
        late = [step for step in steps if step[3] not in early]
        for criterion in self._others:
            self._covered[criterion.name] |= criterion.cover(late if criterion.late_only else steps, entities)

    def counts(self) -> dict[str, int]:
        """Return the number of covered requirements under each criterion."""
        return {name: len(covered) for name, covered in self._covered.items()}

    def totals(self, owners: Collection[str]) -> dict[str, int]:
        """Return T_C, and the total without the patterns that are known to be infeasible.

        The variables are those that the class declares, inherits or dereferences, and those of the given owners.
        """
        model, table = self._installation.model(), self._installation.table
        scope = scope_of(self._owner, model, table, dereferenced=owners)
        patterns = MemoryAccessPatterns(scope=scope)
        return {
            "static": patterns.static_total(model).number or 0,
            "pruned": patterns.total(model, self._feasibility.facts()).number or 0,
        }


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of a search at one time."""

    covered: dict[str, int]  # maps "patterns" and the names of criteria to numbers of requirements
    bugs: int
    tests: int
    executions: int


class RecordingSearch(ClassSearch):
    """Takes samples at equal intervals. Two failures are the same bug if the same line raises the same exception."""

    def __init__(
        self, cls: type, options: GenerationOptions, *, samples: int, criteria: Iterable[str] = (), facts: bool = False
    ) -> None:
        super().__init__(cls, options, on_test=self._after_test)
        self._number_of_samples = samples
        self._criteria = tuple(criteria)
        self._collects_facts = facts
        self.samples: list[Sample] = []
        self.found: set[BugKey] = set()

    def _prepare(self, workbench: Workbench, sandbox: Sandbox, stack: ExitStack) -> None:
        super()._prepare(workbench, sandbox, stack)
        self.meter = CriteriaMeter(self._cls, workbench.installation, self._criteria, facts=self._collects_facts)
        self._meter = self.meter

    def _examine(self, test: TestCase, failure: Failure) -> None:
        """Record a failure instead of shrinking its test."""
        self.found.add(self._key(test, failure))

    def _is_known(self, test: TestCase, failure: Failure) -> bool:
        return self._key(test, failure) in self.found

    def _key(self, test: TestCase, failure: Failure) -> BugKey:
        violation = failure.violation
        frame = None if failure.error is None else innermost_frame(failure.error, self._belongs)
        if frame is not None:
            return violation.exception, frame.place.file, str(frame.place.line)
        calls = sorted(str(test.at(position).method) for position in violation.calls)
        return str(violation.oracle), violation.exception, *calls

    def _after_test(self, counts: Counts, seconds: float) -> None:
        options = self._options
        done = seconds / options.seconds if options.max_tests is None else counts.tests / options.max_tests
        if len(self.samples) < self._number_of_samples and done * self._number_of_samples >= len(self.samples) + 1:
            sample = self._sample()
            while len(self.samples) < min(int(done * self._number_of_samples), self._number_of_samples):
                self.samples.append(sample)

    def totals(self) -> dict[str, int]:
        """Return the totals of MAP-coverage; see `CriteriaMeter.totals`. MAPTest also counts what functions reach."""
        strategy = self._strategy
        variables = strategy.model.variables if isinstance(strategy, MapTest) else ()
        return self.meter.totals({owner for owner, _ in variables})

    def finish(self) -> list[Sample]:
        """Return all samples; the last ones are those of the end."""
        while len(self.samples) < self._number_of_samples:
            self.samples.append(self._sample())
        return self.samples

    def _sample(self) -> Sample:
        covered: dict[str, Any] = self.meter.counts()
        strategy = self._strategy
        if isinstance(strategy, MapTest):
            covered["patterns"] = len({pattern.counted for pattern in strategy.goals.covered})
        elif isinstance(strategy, RandomPairs):
            covered["patterns"] = len({pattern.counted for pattern in strategy.covered})
        return Sample(covered, len(self.found), self.counts.tests, self.counts.executions)
