"""Measures the coverage of generated tests: access patterns (`map`) and method pairs of the class under test.

Measuring an execution takes several times as long as running it, so only a share of the time is spent on tests that are
measured. Strategies that aim at uncovered patterns have all their tests measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import islice

from raddle.criteria.base import Criterion
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.criteria.method_pairs import MethodPairs
from raddle.execute.installation import Installation
from raddle.execute.session import Execution
from raddle.instrument.model.owners import class_owner
from raddle.pruning_facts import PruningFacts
from raddle.site import disambiguated
from raddle.static_model import StaticModel
from raddle.tally import Key, Total
from raddle.variable_scope import scope_of

SHARE = 0.2  # share of the time that is spent on tests that are measured
MAX_MISSING = 200  # uncovered requirements that are explained
MAX_ENUMERATED = 100_000  # requirements to compare with the covered ones; larger sets are only counted


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
        """Merge the coverage of two processes. The larger total counts, because it contains more of what is known."""
        larger = max(self, other, key=lambda one: one.total.number or 0)
        keys = self.keys | other.keys
        missing = {key: text for key, text in zip(larger.missing_keys, larger.missing, strict=True) if key not in keys}
        total = _at_least(larger.total, len(keys))
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
    """Accumulates the coverage of one class."""

    def __init__(self, cls: type, installation: Installation) -> None:
        self._installation = installation
        self._owner = class_owner(installation.table, cls)
        self._scope = scope_of(self._owner, installation.model(), installation.table)
        self._map = MemoryAccessPatterns(scope=self._scope)
        self._pairs = MethodPairs()
        self._covered: dict[str, set[Key]] = {"map": set(), "method-pairs": set()}
        self._executions = 0
        self._tests = 0
        self._seconds = 0.0

    def wants(self, seconds: float) -> bool:
        """Return whether the next test should be measured, given the time that the search has taken so far."""
        return self._seconds <= SHARE * seconds

    def spent(self, seconds: float) -> None:
        """Record the time that a measured test took."""
        self._seconds += seconds
        self._tests += 1

    def covered(self, criterion: str) -> int:
        """Return the number of covered requirements of a criterion."""
        return len(self._covered[criterion])

    def add(self, execution: Execution) -> None:
        """Add the coverage of an execution."""
        if execution.observed is None:
            return
        self._executions += 1
        steps, entities = execution.observed
        early = self._installation.model().early
        late = [step for step in steps if step[3] not in early]
        self._covered["map"] |= self._map.cover(late, entities)
        owners = {self._owner}
        pairs = self._pairs.cover(steps, entities)
        self._covered["method-pairs"] |= {key for key in pairs if key[0] in owners}

    def result(self) -> MeasuredCoverage:
        """Return the coverage so far, with totals and uncovered requirements."""
        model, facts = self._installation.model(), PruningFacts()
        sites = disambiguated({number: self._installation.table[number] for number in self._installation.table})
        rows: list[CriterionCoverage] = []
        of_class = replace(model, methods={self._owner: self._methods(model)})
        criteria: tuple[Criterion, ...] = (self._map, self._pairs)
        for criterion in criteria:

            def keys(criterion: Criterion = criterion) -> Iterator[Key]:
                return criterion.requirements(of_class, facts) or iter(())

            covered = frozenset(self._covered[criterion.name])
            missing = tuple(islice((key for key in keys() if key not in covered), MAX_MISSING))
            clauses = tuple(criterion.explain(key, sites) for key in missing)
            total = with_covered(criterion.total(of_class, facts), covered, keys())
            rows.append(CriterionCoverage(criterion.name, len(covered), total, clauses, covered, missing))
        return MeasuredCoverage(self._executions, tuple(rows), self._tests)

    def _methods(self, model: StaticModel) -> Mapping[str, int]:
        """Return the public methods of the class, own and inherited, with their enter sites."""
        methods: dict[str, int] = {}
        for owner in (*model.bases.get(self._owner, ()), self._owner):
            methods |= model.methods.get(owner, {})
        return methods


def with_covered(total: Total, covered: Set[Key], requirements: Iterable[Key]) -> Total:
    """Return a total that includes the covered requirements.

    The source does not show every access, so executions can cover requirements that the static model does not have.

    >>> from raddle.tally import STATIC
    >>> with_covered(Total(2, STATIC), {("a",), ("z",)}, [("a",), ("b",)])
    Total(number=3, kind='static', low=None, high=None)
    """
    if total.number is None or total.number > MAX_ENUMERATED:
        return _at_least(total, len(covered))
    return replace(total, number=total.number + len(set(covered).difference(requirements)))


def _at_least(total: Total, number: int) -> Total:
    """Return a total that is at least this number, unless it is unknown."""
    return total if total.number is None else replace(total, number=max(total.number, number))
