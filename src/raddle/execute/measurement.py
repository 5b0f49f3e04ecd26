"""A measurement: executions shown to criteria, and the tally of what they covered.

Most executions of a small scenario do what an earlier one did, step by step. Those are recognised by their
steps and only counted, so that measuring costs little where there is little to see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from raddle.analysis.feasibility import Feasibility
from raddle.cast import Cast
from raddle.caution import Caution
from raddle.checks.lock_cycles import LockCycles
from raddle.checks.races import Races
from raddle.checks.warned_variables import WarnedVariables
from raddle.criteria.base import Criterion
from raddle.facts import Facts
from raddle.model import Model
from raddle.site import INDEX_BITS
from raddle.step import Step
from raddle.tally import Covered, Key, Tally

MOST_REMEMBERED = 5_000  # different executions; what comes later is looked at every time
CLOSELY = 64  # different executions that are all looked at for what is suspicious, and for facts; then one in
ONE_IN = 64

_ACCESSES = ("read", "write")


class _Observer(Protocol):
    def begin(self, cast: Cast) -> None:
        """An execution begins."""

    def feed(self, steps: Iterable[Step]) -> None:
        """These steps happened."""


class Check(_Observer, Protocol):
    """Looks for what is suspicious in executions."""

    def cautions(self) -> list[Caution]:
        """Everything suspicious so far."""


@dataclass(slots=True)
class _Seen:
    """An execution that may come again."""

    times: int
    keys: tuple[tuple[str, frozenset[Key]], ...]


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
        self._everybody: tuple[_Observer, ...] = (*self.criteria, *self._others)
        self._projected: dict[str, dict[int, frozenset[Key]]] = {}
        self._counts: dict[str, dict[Key, list[int]]] = {}  # by criterion: how often, and first in which execution
        self._observed: set[tuple[int, str, str, str]] = set()
        self._number = 0
        self.modules: set[int] = set()  # whose sites were come to
        self.early: frozenset[int] = frozenset()  # sites that run before any sharing, see `Model`

    # -- whole executions ---------------------------------------------------------------------------

    def add(self, steps: tuple[Step, ...], cast: Cast) -> dict[str, frozenset[Key]]:
        """An execution, from beginning to end, and what it covered.

        What it did is told by its steps: the rest follows from them.
        """
        self._number += 1
        digest = hash(steps)
        seen = self._remembered.get(digest)
        if seen is not None:
            seen.times += 1
            return dict(seen.keys)
        late = self._late(steps)
        keys = tuple([
            (criterion.name, self._cover(criterion, late if criterion.late_only else steps, cast))
            for criterion in self.criteria
        ])  # fmt: skip
        news = [self._count(name, covered) for name, covered in keys]
        if any(news) or self._number % ONE_IN == 0 or len(self._remembered) < CLOSELY:
            self._note(late, cast)
            for observer in self._others:
                observer.begin(cast)
                observer.feed(steps)
        if len(self._remembered) < MOST_REMEMBERED:
            self._remembered[digest] = _Seen(1, keys)
        return dict(keys)

    def _cover(self, criterion: Criterion, steps: Sequence[Step], cast: Cast) -> frozenset[Key]:
        """What an execution covers; executions that differ only in what the criterion does not look at are one."""
        concerns = criterion.concerns
        if concerns is None:
            return frozenset(criterion.cover(steps, cast))
        steps = tuple([step for step in steps if step[1] in concerns])
        known = self._projected.setdefault(criterion.name, {})
        digest = hash(steps)
        keys = known.get(digest)
        if keys is None:
            keys = frozenset(criterion.cover(steps, cast))
            if len(known) < MOST_REMEMBERED:
                known[digest] = keys
        return keys

    def _count(self, name: str, covered: Iterable[Key]) -> bool:
        """The execution covered these; was any of them new?"""
        known = self._counts.setdefault(name, {})
        before = len(known)
        for key in covered:
            counted = known.get(key)
            if counted is None:
                known[key] = [1, self._number]
            else:
                counted[0] += 1
        return len(known) > before

    # -- one that goes on ---------------------------------------------------------------------------

    def begin(self, cast: Cast) -> None:
        """An execution begins."""
        self._number += 1
        self._cast = cast
        for observer in self._everybody:
            observer.begin(cast)

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
            known = self._counts.get(criterion.name, {})
            self._count(criterion.name, {key for key in criterion.collect(final=final) if key not in known})

    def end(self) -> None:
        """The execution is over."""
        self.collect(final=True)

    def _late(self, steps: Sequence[Step]) -> Sequence[Step]:
        early = self.early
        return [step for step in steps if step[3] not in early] if early else steps

    def _note(self, steps: Sequence[Step], cast: Cast) -> None:
        """Which site touched which variable, and which modules took part."""
        self.modules |= {step[3] >> INDEX_BITS for step in steps}
        variables = cast.variables
        for kind, target, site in {step[1:] for step in steps if step[1] in _ACCESSES}:
            self._observed.add((site, variables[target].owner, variables[target].name, kind))

    # -- what came of it ----------------------------------------------------------------------------

    @property
    def executions(self) -> int:
        return self._number

    def tally(self) -> Tally:
        """What was covered, how often."""
        again: dict[str, dict[Key, int]] = {}
        for seen in self._remembered.values():
            if seen.times > 1:
                for name, keys in seen.keys:
                    more = again.setdefault(name, {})
                    for key in keys:
                        more[key] = more.get(key, 0) + seen.times - 1
        covered = {
            criterion.name: {
                key: Covered(times + again.get(criterion.name, {}).get(key, 0), first)
                for key, (times, first) in self._counts.get(criterion.name, {}).items()
            }
            for criterion in self.criteria
        }
        return Tally.of(covered, executions=self._number)

    def cautions(self) -> tuple[Caution, ...]:
        """What looked suspicious."""
        return tuple(dict.fromkeys(caution for check in self._checks for caution in check.cautions()))

    def facts(self) -> Facts:
        """What is known about the sites."""
        return self._feasibility.facts()

    def observed(self) -> frozenset[tuple[int, str, str, str]]:
        """Which site touched which variable how: (site, owner, name, kind)."""
        return frozenset(self._observed)

    def extras(self) -> dict[str, Any]:
        """What criteria want to keep besides, by criterion."""
        return {c.name: extra for c in self.criteria if (extra := c.extra()) is not None}


def model_with(model: Model, observed: Iterable[tuple[int, str, str, str]]) -> Model:
    """The static model, and what executions added to it."""
    from raddle.instrument.survey import observed as as_model

    return model + as_model(observed)
