"""Measures the coverage of generated tests: access patterns (`map`) and method pairs of the class under test.

Measuring an execution takes several times as long as running it, so only a share of the time is spent on tests that are
measured. If the number of tests is limited instead of the time, every fourth test is measured, so that the result does
not depend on the machine. Strategies that aim at uncovered patterns have all their tests measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.criteria.method_pairs import MethodPairs
from raddle.entities import Entities
from raddle.execute.installation import Installation
from raddle.execute.session import Execution
from raddle.instrument.model.owners import class_owner
from raddle.measuring.measurement import model_with
from raddle.operation import ACCESSES
from raddle.pruning_facts import PruningFacts
from raddle.site import disambiguated
from raddle.static_model import StaticModel
from raddle.step import Step
from raddle.tally import Key, Total
from raddle.variable_scope import scope_of

SHARE = 0.2  # share of the time that is spent on tests that are measured
MEASURED_EVERY = 4  # one test in this many is measured if the number of tests is limited
MAX_MISSING = 200  # uncovered requirements that are explained


@dataclass(frozen=True, slots=True)
class CriterionCoverage:
    """The coverage of one criterion."""

    name: str
    covered: int
    total: Total
    missing: tuple[str, ...] = ()  # uncovered requirements, as clauses
    keys: frozenset[Key] = field(default_factory=frozenset, repr=False)  # the covered requirements
    missing_keys: tuple[Key, ...] = field(default=(), repr=False)  # the requirements in `missing`

    def __add__(self, other: CriterionCoverage) -> CriterionCoverage:
        """Merge the coverage of two processes. The larger total counts, because it contains more of what is known.

        The processes may know of different requirements, so together they may have covered more than this total.
        """
        larger = max(self, other, key=lambda one: one.total.number or 0)
        keys = self.keys | other.keys
        missing = {key: text for key, text in zip(larger.missing_keys, larger.missing, strict=True) if key not in keys}
        total = larger.total
        if total.number is not None and total.number < len(keys) + len(missing):
            total = replace(total, number=len(keys) + len(missing))
        return CriterionCoverage(self.name, len(keys), total, tuple(missing.values()), keys, tuple(missing))

    @property
    def percent(self) -> float | None:
        """The covered share of the total; None if there is nothing to cover."""
        return 100 * self.covered / self.total.number if self.total.number else None


@dataclass(frozen=True, slots=True)
class MeasuredCoverage:
    """The coverage that the measured executions reached."""

    executions: int = 0
    criteria: tuple[CriterionCoverage, ...] = ()
    tests: int = 0  # number of tests that were measured

    def __add__(self, other: MeasuredCoverage) -> MeasuredCoverage:
        """Merge the coverage of two processes."""
        rows = {row.name: row for row in self.criteria}
        for row in other.criteria:
            rows[row.name] = rows[row.name] + row if row.name in rows else row
        return MeasuredCoverage(self.executions + other.executions, tuple(rows.values()), self.tests + other.tests)


class CoverageMeter:
    """Accumulates the coverage of one class.

    If `is_repeatable`, the choice of the tests to measure does not depend on the time.
    """

    def __init__(self, cls: type, installation: Installation, *, is_repeatable: bool = False) -> None:
        self._installation = installation
        self._is_repeatable = is_repeatable
        self._owner = class_owner(installation.table, cls)
        self._scope = scope_of(self._owner, installation.model(), installation.table)
        self._map = MemoryAccessPatterns(scope=self._scope)
        self._pairs = MethodPairs()
        self._covered: dict[str, set[Key]] = {"map": set(), "method-pairs": set()}
        # The observed accesses that the source does not show belong to the totals, too: (site, owner, name, kind).
        self._observed: set[tuple[int, str, str, str]] = set()
        self._executions = 0
        self._tests = 0
        self._seconds = 0.0

    def wants(self, seconds: float, tests: int) -> bool:
        """Return whether the next test should be measured, after this time and this number of tests."""
        if self._is_repeatable:
            return tests % MEASURED_EVERY == 0
        return self._seconds <= SHARE * seconds

    def spent(self, seconds: float) -> None:
        """Record the time that a measured test took."""
        self._seconds += seconds
        self._tests += 1

    def covered(self, criterion: str) -> int:
        """Return the number of covered requirements of a criterion."""
        return len(self._covered[criterion])

    def add(self, execution: Execution) -> None:
        """Add the coverage of a controlled execution."""
        if execution.observed is not None:
            self.add_steps(*execution.observed)

    def add_steps(self, steps: Sequence[Step], entities: Entities) -> None:
        """Add the coverage of an execution, which may have been a native one, given its steps."""
        self._executions += 1
        early = self._installation.model().early
        late = [step for step in steps if step[3] not in early]
        self._covered["map"] |= self._map.cover(late, entities)
        self._observe(late, entities)
        owners = {self._owner}
        pairs = self._pairs.cover(steps, entities)
        self._covered["method-pairs"] |= {key for key in pairs if key[0] in owners}

    def _observe(self, steps: Sequence[Step], entities: Entities) -> None:
        variables = entities.variables
        for _, kind, target, site in steps:
            if kind in ACCESSES and self._scope.has(variables[target].owner, site):
                self._observed.add((site, variables[target].owner, variables[target].name, str(kind)))

    def result(self) -> MeasuredCoverage:
        """Return the coverage so far, with totals and uncovered requirements."""
        model, facts = model_with(self._installation.model(), self._observed), PruningFacts()
        sites = disambiguated({number: self._installation.table[number] for number in self._installation.table})
        rows: list[CriterionCoverage] = []
        of_class = replace(model, methods={self._owner: self._methods(model)})
        for criterion in (self._map, self._pairs):
            covered = self._covered[criterion.name]
            keys = criterion.requirements(of_class, facts) or ()
            missing = tuple(islice((key for key in keys if key not in covered), MAX_MISSING))
            clauses = tuple(criterion.explain(key, sites) for key in missing)
            total = criterion.total(of_class, facts)
            rows.append(CriterionCoverage(criterion.name, len(covered), total, clauses, frozenset(covered), missing))
        return MeasuredCoverage(self._executions, tuple(rows), self._tests)

    def _methods(self, model: StaticModel) -> Mapping[str, int]:
        """Return the public methods of the class, own and inherited, with their enter sites."""
        methods: dict[str, int] = {}
        for owner in (*model.bases.get(self._owner, ()), self._owner):
            methods |= model.methods.get(owner, {})
        return methods
