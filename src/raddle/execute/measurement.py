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
from raddle.step import Step
from raddle.tally import Key, Tally

MOST_REMEMBERED = 20_000  # different executions; what comes later is looked at every time
CLOSELY = 64  # different executions that are all looked at for what is suspicious, and for facts; then one in
ONE_IN = 16

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

    first: int
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
        self._observers: tuple[_Observer, ...] = (*self.criteria, *self._checks, self._feasibility)
        self._watching: Sequence[_Observer] = ()
        self._remembered: dict[int, _Seen] = {}
        self._tally = Tally()
        self._observed: set[tuple[int, str, str, str]] = set()
        self._number = 0
        self.early: frozenset[int] = frozenset()  # sites that run before any sharing, see `Model`

    # -- whole executions ---------------------------------------------------------------------------

    def add(self, steps: Sequence[Step], cast: Cast) -> dict[str, frozenset[Key]]:
        """An execution, from beginning to end, and what it covered.

        What it did is told by its steps: the rest follows from them.
        """
        self._number += 1
        digest = hash(tuple(steps))
        seen = self._remembered.get(digest)
        if seen is not None:
            seen.times += 1
            return dict(seen.keys)
        distinct = len(self._remembered)
        closely = distinct < CLOSELY or self._number % ONE_IN == 0
        self._begin(cast, self._observers if closely else self.criteria)
        self.feed(steps)
        keys = tuple((criterion.name, frozenset(criterion.collect(final=True))) for criterion in self.criteria)
        if len(self._remembered) < MOST_REMEMBERED:
            self._remembered[digest] = _Seen(self._number, 1, keys)
        for name, covered in keys:
            self._tally.add(self._number, name, covered)
        return dict(keys)

    # -- one that goes on ---------------------------------------------------------------------------

    def begin(self, cast: Cast) -> None:
        """An execution begins."""
        self._number += 1
        self._begin(cast, self._observers)

    def _begin(self, cast: Cast, observers: Sequence[_Observer]) -> None:
        self._cast = cast
        self._watching = observers
        for observer in observers:
            observer.begin(cast)

    def feed(self, steps: Sequence[Step]) -> None:
        """These steps happened, in this order."""
        late = [step for step in steps if step[3] not in self.early]
        for observer in self._watching:
            observer.feed(late if getattr(observer, "late_only", False) else steps)
        variables = self._cast.variables
        for kind, target, site in {step[1:] for step in late if step[1] in _ACCESSES}:
            self._observed.add((site, variables[target].owner, variables[target].name, kind))

    def collect(self, *, final: bool) -> None:
        """Take over what the execution going on has covered so far."""
        for criterion in self.criteria:
            fresh = criterion.collect(final=final)
            known = self._tally.covered.get(criterion.name, {})
            self._tally.add(self._number, criterion.name, {key for key in fresh if key not in known})

    def end(self) -> None:
        """The execution is over."""
        self.collect(final=True)

    # -- what came of it ----------------------------------------------------------------------------

    @property
    def executions(self) -> int:
        return self._number

    def tally(self) -> Tally:
        """What was covered, how often."""
        again: dict[str, dict[Key, int]] = {}
        for seen in self._remembered.values():
            if seen.times > 1:
                for name, covered in seen.keys:
                    more = again.setdefault(name, {})
                    for key in covered:
                        more[key] = more.get(key, 0) + seen.times - 1
        return self._tally.with_more(again, executions=self._number)

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
