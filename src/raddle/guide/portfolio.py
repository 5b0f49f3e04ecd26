"""The portfolio: several schedulers, one of which targets uncovered requirements, take turns.

No single scheduler is best for every program (Thomson, Donaldson, Betts, TOPC 2016; Wolff et al., ASPLOS 2024; Zhao et
al., ASPLOS 2025). POS nearly always does well. SURW does well when threads differ widely in length. PCT does well on
bugs that need few but deep preemptions. A particular order of very many threads is found only by targeting it. POS
controls every other execution, so the portfolio needs at most twice as many executions as POS alone. The other
schedulers share the remaining executions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from raddle.criterion_settings import DEFAULT_SETTINGS, CriterionSettings
from raddle.entities import Entities
from raddle.guide.targets import CoverageTargets
from raddle.schedulers.base import Alternative, Scheduler, Thread
from raddle.schedulers.directed import Directed
from raddle.schedulers.partial_order_sampling import PartialOrderSampling
from raddle.schedulers.pct import PCT
from raddle.schedulers.uniform_walk import UniformWalk
from raddle.step import Step
from raddle.tally import Key

TURNS = ("pos", "directed", "pos", "directed", "pos", "surw", "pos", "directed", "pos", "pct")


class Guided(Scheduler):
    """A scheduler whose members take turns, one execution each.

    >>> both = Guided({"pos": PartialOrderSampling(1), "pct": PCT(1, depth=3)}, ("pos", "pct"), targets=None)
    >>> [both.begin(number, 0) and both.turn for number in (1, 2, 3)]
    ['pos', 'pct', 'pos']
    """

    def __init__(
        self, members: Mapping[str, Scheduler], turns: Sequence[str], *, targets: CoverageTargets | None
    ) -> None:
        self._members = members
        self._turns = turns
        self.targets: CoverageTargets | None = targets
        self.members = tuple(members)
        self.turn = turns[0]
        self._member = members[self.turn]

    @property
    def sees_forced_steps(self) -> bool:
        return self._member.sees_forced_steps

    def member_for(self, number: int) -> str:
        return self._turns[(number - 1) % len(self._turns)]

    def begin(self, number: int, space: int) -> bool:
        rounds, place = divmod(number - 1, len(self._turns))
        self.turn = self._turns[place]
        self._member = self._members[self.turn]
        # Each member counts its own executions, so it decides as it would if it were used alone.
        own = rounds * self._turns.count(self.turn) + self._turns[: place + 1].count(self.turn)
        return self._member.begin(own, space)

    def chooser(self) -> Callable[[Any, Any], Any]:
        """Return the current member's chooser. Calling it directly saves one call per decision."""
        return self._member.chooser()

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        return self._member.choose(enabled, current)

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        return self._member.choose_alternative(thread, options)

    def end(self) -> None:
        self._member.end()

    def memory(self) -> object:
        return self._member.memory()

    def remember(self, memory: object) -> None:
        self._member.remember(memory)

    def learn(
        self, steps: Sequence[Step], entities: Entities, covered: Mapping[str, frozenset[Key]], *, early: frozenset[int]
    ) -> None:
        if self.targets is not None:
            self.targets.learn(steps, entities, covered, early=early)


def portfolio(criteria: Sequence[str], *, seed: int, settings: CriterionSettings = DEFAULT_SETTINGS) -> Guided:
    """Return the default scheduler. Without criteria, it has no targets and no "directed" member.

    >>> portfolio(["map"], seed=1).turn
    'pos'
    """
    targets = CoverageTargets(criteria, seed=seed, settings=settings) if criteria else None
    members: dict[str, Scheduler] = {
        "pos": PartialOrderSampling(seed),
        "surw": UniformWalk(seed),
        "pct": PCT(seed, depth=3),
    }
    if targets is None:
        return Guided(members, ("pos", "surw", "pos", "pct"), targets=None)
    members["directed"] = Directed(seed, targets.next_plan)
    return Guided(members, TURNS, targets=targets)


def directed(criteria: Sequence[str], *, seed: int, settings: CriterionSettings = DEFAULT_SETTINGS) -> Guided:
    """Return a scheduler that tries to cover targets, and falls back to POS when no target is left.

    >>> directed(["map"], seed=1).turn
    'directed'
    """
    targets = CoverageTargets(criteria, seed=seed, settings=settings)
    return Guided({"directed": Directed(seed, targets.next_plan)}, ("directed",), targets=targets)
