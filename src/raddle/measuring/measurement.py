"""A measurement: executions shown to criteria, and the tally of what they covered.

Most executions of a small scenario do what an earlier one did, step by step. Those are recognised by their
steps and only counted, so that measuring costs little where there is little to see.
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

MAX_REMEMBERED = 5_000  # different executions; what comes later is looked at every time
CLOSELY = 32  # different executions that are all looked at for what is suspicious, and for facts; then one in
ONE_IN = 256
SELDOM = 128  # different executions after which it shows whether executions repeat


class _Observer(Protocol):
    def begin(self, entities: Entities) -> None:
        """An execution begins."""

    def feed(self, steps: Iterable[Step]) -> None:
        """These steps happened."""

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """There will be no more steps about these."""


class Check(_Observer, Protocol):
    """Looks for what is suspicious in executions."""

    gave_up: bool  # whether there was too much in some execution to look at all of it

    def warnings(self) -> list[ReportedWarning]:
        """Everything suspicious so far."""


@dataclass(slots=True)
class _Seen:
    """An execution that may come again."""

    times: int
    keys: tuple[tuple[str, frozenset[Key]], ...]


@dataclass(slots=True)
class _Alike:
    """Executions as one criterion sees them, that does not look at all steps."""

    known: dict[int, frozenset[Key]] = field(default_factory=dict)  # what they cover, by digest of those steps
    found: int = 0  # how often that spared the work
    worth: bool = True

    def add(self, digest: int, keys: frozenset[Key]) -> None:
        """One that is like no other. Where most are, looking for others like it costs more than it spares."""
        if len(self.known) < MAX_REMEMBERED:
            self.known[digest] = keys
        if len(self.known) >= SELDOM and self.found < len(self.known):
            self.known.clear()
            self.worth = False


class Measurement:
    """What some criteria see in executions.

    A whole execution is given to `add`. One that is still going on is `begin`, any number of `feed`, and
    `end`; `save` gives what is known in between.
    """

    def __init__(self, criteria: Sequence[Criterion], checks: Sequence[Check] | None = None) -> None:
        self.criteria = tuple(criteria)
        self._checks = tuple(checks) if checks is not None else (Races(), LockCycles(), WarnedVariables())
        self._feasibility = Feasibility()
        self._remembered: dict[int, _Seen] = {}
        self._others: tuple[_Observer, ...] = (*self._checks, self._feasibility)
        self._observers: tuple[_Observer, ...] = (*self.criteria, *self._others)
        self._alike = {criterion.name: _Alike() for criterion in criteria}
        self._first: dict[str, dict[Key, int]] = {criterion.name: {} for criterion in criteria}  # in which execution
        self._times: dict[str, Counter[Key]] = {name: Counter() for name in self._first}  # but for those remembered
        self._observed: set[tuple[int, str, str, str]] = set()
        self._number = 0
        self.new = 0  # requirements that the last execution covered for the first time
        self.before: Mapping[str, Set[Key]] = {}  # by criterion: covered by others, so it is not new
        self.modules: set[int] = set()  # whose sites were come to
        self.open: frozenset[str] = frozenset()  # criteria that more could be covered of, though no failure is left
        self.early: frozenset[int] = frozenset()  # sites that run before any sharing, see `StaticModel`

    @property
    def names(self) -> tuple[str, ...]:
        """Of the criteria."""
        return tuple(criterion.name for criterion in self.criteria)

    # -- whole executions ---------------------------------------------------------------------------

    def add(self, steps: tuple[Step, ...], entities: Entities) -> dict[str, frozenset[Key]]:
        """An execution, from beginning to end, and what it covered.

        What it did is told by its steps: the rest follows from them.
        """
        self._number += 1
        digest = hash(steps)
        seen = self._remembered.get(digest)
        if seen is not None:
            seen.times += 1
            self.new = 0
            return dict(seen.keys)
        late = self._late(steps)
        keys = tuple([
            (criterion.name, self._cover(criterion, late if criterion.late_only else steps, entities))
            for criterion in self.criteria
        ])  # fmt: skip
        self.new = sum([self._meet(name, covered) for name, covered in keys])
        if self.new or self._number % ONE_IN == 0 or len(self._remembered) < CLOSELY:
            self._note(late, entities)
            for observer in self._others:
                observer.begin(entities)
                observer.feed(steps)
        if len(self._remembered) < MAX_REMEMBERED:
            self._remembered[digest] = _Seen(1, keys)
        else:
            for name, covered in keys:
                self._times[name].update(covered)
        return dict(keys)

    def _cover(self, criterion: Criterion, steps: Sequence[Step], entities: Entities) -> frozenset[Key]:
        """What an execution covers; executions that differ only in what the criterion does not look at are one."""
        concerns = criterion.concerns
        if concerns is None:
            return frozenset(criterion.cover(steps, entities))
        alike = self._alike[criterion.name]
        if not alike.worth:
            return frozenset(criterion.cover(steps, entities))
        steps = tuple([step for step in steps if step[1] in concerns])
        digest = hash(steps)
        keys = alike.known.get(digest)
        if keys is None:
            keys = frozenset(criterion.cover(steps, entities))
            alike.add(digest, keys)
        else:
            alike.found += 1
        return keys

    def _meet(self, name: str, covered: frozenset[Key] | set[Key]) -> int:
        """The execution covered these; how many of them were new?"""
        first = self._first[name]
        fresh = covered.difference(first)  # by sets as wholes: a look for each key would hash it anew
        if not fresh:
            return 0
        first.update(dict.fromkeys(fresh, self._number))
        return len(fresh.difference(self.before.get(name, ())))

    # -- one that goes on ---------------------------------------------------------------------------

    def begin(self, entities: Entities) -> None:
        """An execution begins."""
        self._number += 1
        self._cast = entities
        for observer in self._observers:
            observer.begin(entities)

    def feed(self, steps: Sequence[Step]) -> None:
        """These steps happened, in this order."""
        late = self._late(steps)
        for criterion in self.criteria:
            criterion.feed(late if criterion.late_only else steps)
        for observer in self._others:
            observer.feed(steps)
        self._note(late, self._cast)

    def collect(self, *, final: bool) -> None:
        """Take over what the execution going on has covered so far."""
        for criterion in self.criteria:
            first, times = self._first[criterion.name], self._times[criterion.name]
            fresh = dict.fromkeys(filterfalse(first.__contains__, criterion.collect(final=final)), self._number)
            first.update(fresh)
            dict.update(times, dict.fromkeys(fresh, 1))  # none of them was counted before

    def end(self) -> None:
        """The execution is over."""
        self.collect(final=True)

    def _late(self, steps: Sequence[Step]) -> Sequence[Step]:
        early = self.early
        return [step for step in steps if step[3] not in early] if early else steps

    def _note(self, steps: Sequence[Step], entities: Entities) -> None:
        """Which site touched which variable, and which modules took part."""
        self.modules |= {step[3] >> INDEX_BITS for step in steps}
        variables = entities.variables
        for kind, target, site in {step[1:] for step in steps if step[1] in ACCESSES}:
            self._observed.add((site, variables[target].owner, variables[target].name, kind))

    # -- what came of it ----------------------------------------------------------------------------

    @property
    def executions(self) -> int:
        return self._number

    def counts(self) -> dict[str, int]:
        """How many requirements of each criterion were covered."""
        return {criterion.name: len(self._first[criterion.name]) for criterion in self.criteria}

    def all_covered(self, model: StaticModel, *, otherwise: bool) -> bool:
        """Is everything covered that can be? Where it cannot be known how much that is, `otherwise` decides."""
        model = model_with(model.of_modules(self.modules), self._observed)
        return all_covered(self.criteria, self.counts(), model, self.facts(), otherwise=otherwise)

    def tally(self) -> Tally:
        """What was covered, how often."""
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
        """What looked suspicious."""
        return tuple(dict.fromkeys(warning for check in self._checks for warning in check.warnings()))

    def facts(self) -> PruningFacts:
        """What is known about the sites."""
        return self._feasibility.facts()

    def observed(self) -> frozenset[tuple[int, str, str, str]]:
        """Which site touched which variable how: (site, owner, name, kind)."""
        return frozenset(self._observed)

    def extras(self) -> dict[str, Any]:
        """What criteria want to keep besides, by criterion."""
        return {c.name: extra for c in self.criteria if (extra := c.extra()) is not None}


def all_covered(
    criteria: Iterable[Criterion],
    counts: Mapping[str, int],
    model: StaticModel,
    facts: PruningFacts,
    *,
    otherwise: bool,
) -> bool:
    """Return whether everything is covered that can be; `otherwise` decides where the total is not known.

    Nothing to cover is no reason to stop: the next execution may show that there is something.
    """
    for criterion in criteria:
        total = criterion.total(model, facts).number
        if not (otherwise if total is None else 0 < total <= counts.get(criterion.name, 0)):
            return False
    return True


def model_with(model: StaticModel, observed: Iterable[tuple[int, str, str, str]]) -> StaticModel:
    """The static model, and what executions added to it."""
    from raddle.instrument.model.survey import observed as as_model

    return model + as_model(observed)
