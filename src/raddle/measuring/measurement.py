"""A measurement: feeds executions to criteria and checks, and tallies what the executions covered.

Most executions of a small scenario repeat the steps of an earlier one. Such executions are recognized by a hash of
their steps and only counted, so measuring small scenarios is cheap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import filterfalse
from typing import Any, Protocol

from raddle.analysis.feasibility import Feasibility
from raddle.checks.lock_cycles import LockCycles
from raddle.checks.races import Races
from raddle.checks.warned_variables import WarnedVariables
from raddle.criteria.base import Criterion
from raddle.entities import Entities
from raddle.operation import ACCESSES
from raddle.pruning_facts import PruningFacts
from raddle.site import INDEX_BITS
from raddle.static_model import StaticModel
from raddle.step import Step
from raddle.tally import Covered, Key, Tally
from raddle.warning import ReportedWarning

MAX_REMEMBERED = 5_000  # maximum number of distinct executions remembered; others are analyzed each time they occur
FULLY_ANALYZED = 32  # number of distinct executions at the start that are all analyzed for warnings and pruning facts
ANALYZE_ONE_IN = 256  # later executions are analyzed if they have new coverage or a number that is a multiple of this
CACHE_TRIAL = 128  # number of cached executions after which a cache with few hits is disabled


class _Observer(Protocol):
    def begin(self, entities: Entities) -> None:
        """Begin an execution."""

    def feed(self, steps: Iterable[Step]) -> None:
        """Process the next steps of the execution."""

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Drop all state about these variables and resources; no later step refers to them."""


class Check(_Observer, Protocol):
    """Looks for suspicious patterns in executions and reports warnings."""

    gave_up: bool  # True if some execution was too large to be analyzed completely

    def warnings(self) -> list[ReportedWarning]:
        """Return all warnings so far."""


@dataclass(slots=True)
class _RememberedExecution:
    """The number of times that a distinct execution occurred, and the requirements that it covered."""

    times: int
    keys: tuple[tuple[str, frozenset[Key]], ...]


@dataclass(slots=True)
class _CriterionCache:
    """A cache of the requirements that executions cover, for a criterion that ignores some kinds of steps.

    Executions that differ only in the ignored steps share an entry.
    """

    # Maps a hash of the relevant steps to the requirements covered.
    keys_by_hash: dict[int, frozenset[Key]] = field(default_factory=dict)
    hits: int = 0  # number of cache hits
    is_enabled: bool = True  # False if the cache was disabled

    def add(self, digest: int, keys: frozenset[Key]) -> None:
        """Add an execution. Disable the cache if it has more entries than hits after a trial period."""
        if len(self.keys_by_hash) < MAX_REMEMBERED:
            self.keys_by_hash[digest] = keys
        if len(self.keys_by_hash) >= CACHE_TRIAL and self.hits < len(self.keys_by_hash):
            self.keys_by_hash.clear()
            self.is_enabled = False


class Measurement:
    """Measures executions with the given criteria and checks.

    Pass a complete execution to `add`. For an execution that is still running, call `begin`, then `feed` any number of
    times, then `end`. `collect` updates the results in between.
    """

    def __init__(self, criteria: Sequence[Criterion], checks: Sequence[Check] | None = None) -> None:
        self.criteria = tuple(criteria)
        self._checks = tuple(checks) if checks is not None else (Races(), LockCycles(), WarnedVariables())
        self._feasibility = Feasibility()
        self._remembered: dict[int, _RememberedExecution] = {}
        self._analyses: tuple[_Observer, ...] = (*self._checks, self._feasibility)
        self._observers: tuple[_Observer, ...] = (*self.criteria, *self._analyses)
        self._caches = {criterion.name: _CriterionCache() for criterion in criteria}
        # Maps each requirement, by criterion, to the first execution that covered it.
        self._first: dict[str, dict[Key, int]] = {criterion.name: {} for criterion in criteria}
        # Counts the executions that covered each requirement, without the executions in `_remembered`.
        self._times: dict[str, Counter[Key]] = {name: Counter() for name in self._first}
        self._observed: set[tuple[int, str, str, str]] = set()
        self._inherited: set[tuple[str, str]] = set()
        self._number = 0
        self.new = 0  # number of requirements first covered by the latest execution
        self.already_covered: Mapping[str, Set[Key]] = {}  # requirements that other units covered, by criterion
        self.modules: set[int] = set()  # digests of the modules that executions reached
        self.incomplete: frozenset[str] = frozenset()  # criteria that even an exhausted search may not cover fully
        self.early: frozenset[int] = frozenset()  # sites that run before a variable is shared; see `StaticModel`

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the criteria."""
        return tuple(criterion.name for criterion in self.criteria)

    # -- complete executions ------------------------------------------------------------------------

    def add(self, steps: tuple[Step, ...], entities: Entities) -> dict[str, frozenset[Key]]:
        """Add a complete execution and return the requirements that it covered, by criterion. Executions with equal
        steps are treated as one, because everything else follows from the steps.
        """
        self._number += 1
        digest = hash(steps)
        seen = self._remembered.get(digest)
        if seen is not None:
            seen.times += 1
            self.new = 0
            return dict(seen.keys)
        late = self._shared_steps(steps)
        keys = tuple([
            (criterion.name, self._cover(criterion, late if criterion.late_only else steps, entities))
            for criterion in self.criteria
        ])  # fmt: skip
        self.new = sum([self._record_covered(name, covered) for name, covered in keys])
        if self.new or self._number % ANALYZE_ONE_IN == 0 or len(self._remembered) < FULLY_ANALYZED:
            self._record_accesses(late, entities)
            for observer in self._analyses:
                observer.begin(entities)
                observer.feed(steps)
        if len(self._remembered) < MAX_REMEMBERED:
            self._remembered[digest] = _RememberedExecution(1, keys)
        else:
            for name, covered in keys:
                self._times[name].update(covered)
        return dict(keys)

    def _cover(self, criterion: Criterion, steps: Sequence[Step], entities: Entities) -> frozenset[Key]:
        """Return the requirements that an execution covers, cached by a hash of the steps that the criterion needs."""
        concerns = criterion.concerns
        if concerns is None:
            return frozenset(criterion.cover(steps, entities))
        cache = self._caches[criterion.name]
        if not cache.is_enabled:
            return frozenset(criterion.cover(steps, entities))
        steps = tuple([step for step in steps if step[1] in concerns])
        digest = hash(steps)
        keys = cache.keys_by_hash.get(digest)
        if keys is None:
            keys = frozenset(criterion.cover(steps, entities))
            cache.add(digest, keys)
        else:
            cache.hits += 1
        return keys

    def _record_covered(self, name: str, covered: frozenset[Key] | set[Key]) -> int:
        """Record the requirements that the execution covered; return how many of them are new."""
        first = self._first[name]
        fresh = covered.difference(first)  # a single set operation, which reuses the cached hashes of the keys
        if not fresh:
            return 0
        first.update(dict.fromkeys(fresh, self._number))
        return len(fresh.difference(self.already_covered.get(name, ())))

    # -- running executions -------------------------------------------------------------------------

    def begin(self, entities: Entities) -> None:
        """Begin an execution."""
        self._number += 1
        self._entities = entities
        for observer in self._observers:
            observer.begin(entities)

    def feed(self, steps: Sequence[Step]) -> None:
        """Process the next steps of the execution, in order."""
        late = self._shared_steps(steps)
        for criterion in self.criteria:
            criterion.feed(late if criterion.late_only else steps)
        for observer in self._analyses:
            observer.feed(steps)
        self._record_accesses(late, self._entities)

    def collect(self, *, final: bool) -> None:
        """Collect what the running execution has covered so far; `final` is true if no more steps follow."""
        for criterion in self.criteria:
            first, times = self._first[criterion.name], self._times[criterion.name]
            fresh = dict.fromkeys(filterfalse(first.__contains__, criterion.collect(final=final)), self._number)
            first.update(fresh)
            dict.update(times, dict.fromkeys(fresh, 1))  # none of these keys was counted before

    def end(self) -> None:
        """End the execution."""
        self.collect(final=True)

    def _shared_steps(self, steps: Sequence[Step]) -> Sequence[Step]:
        early = self.early
        return [step for step in steps if step[3] not in early] if early else steps

    def _record_accesses(self, steps: Sequence[Step], entities: Entities) -> None:
        """Record which sites accessed which variables, and which modules were reached."""
        self.modules |= {step[3] >> INDEX_BITS for step in steps}
        variables = entities.variables
        for kind, target, site in {step[1:] for step in steps if step[1] in ACCESSES}:
            variable = variables[target]
            self._observed.add((site, variable.owner, variable.name, kind))
            if variable.type:
                self._inherited.add((variable.type, variable.owner))

    # -- results ------------------------------------------------------------------------------------

    @property
    def executions(self) -> int:
        return self._number

    def counts(self) -> dict[str, int]:
        """Return the number of covered requirements of each criterion."""
        return {criterion.name: len(self._first[criterion.name]) for criterion in self.criteria}

    def all_covered(self, model: StaticModel, *, if_unknown: bool) -> bool:
        """Return whether every feasible requirement is covered.

        A criterion whose total is unknown counts as covered if `if_unknown` is true.
        """
        model = model_with(model.of_modules(self.modules), self._observed, self._inherited)
        return all_covered(self.criteria, self.counts(), model, self.facts(), if_unknown=if_unknown)

    def tally(self) -> Tally:
        """Return the tally of all executions."""
        same: dict[str, Counter[frozenset[Key]]] = {name: Counter() for name in self._first}
        for seen in self._remembered.values():
            for name, keys in seen.keys:
                same[name][keys] += seen.times
        covered = {}
        for name, first in self._first.items():
            times = self._times[name].copy()
            for keys, executions in same[name].items():
                for key in keys:
                    times[key] += executions
            covered[name] = {key: Covered(times[key], number) for key, number in first.items()}
        return Tally.of(covered, executions=self._number)

    def warnings(self) -> tuple[ReportedWarning, ...]:
        """Return the warnings of all checks."""
        return tuple(dict.fromkeys(warning for check in self._checks for warning in check.warnings()))

    def facts(self) -> PruningFacts:
        """Return the pruning facts from all analyzed executions."""
        return self._feasibility.facts()

    def observed(self) -> frozenset[tuple[int, str, str, str]]:
        """Return the observed accesses as tuples (site, owner, name, kind)."""
        return frozenset(self._observed)

    def inherited(self) -> frozenset[tuple[str, str]]:
        """Return the classes whose objects were observed with variables of a base class, as (class, base class)."""
        return frozenset(self._inherited)

    def extras(self) -> dict[str, Any]:
        """Return the extra data that criteria need for their totals, by criterion."""
        return {c.name: extra for c in self.criteria if (extra := c.extra()) is not None}


def all_covered(
    criteria: Iterable[Criterion],
    counts: Mapping[str, int],
    model: StaticModel,
    facts: PruningFacts,
    *,
    if_unknown: bool,
) -> bool:
    """Return whether every feasible requirement is covered.

    A criterion whose total is unknown counts as covered if `if_unknown` is true. A criterion without any requirements
    does not count as covered, because the next execution may reveal some.
    """
    for criterion in criteria:
        total = criterion.total(model, facts).number
        if not (if_unknown if total is None else 0 < total <= counts.get(criterion.name, 0)):
            return False
    return True


def model_with(
    model: StaticModel, observed: Iterable[tuple[int, str, str, str]], inherited: Iterable[tuple[str, str]] = ()
) -> StaticModel:
    """Return the static model, extended by the accesses and the inherited variables observed in executions."""
    from raddle.instrument.model.survey import observed as as_model

    return model + as_model(observed, inherited)
