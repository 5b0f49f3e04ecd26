"""Portfolio: several schedulers in turn, one of them aimed at what is not covered yet.

None of them is best everywhere (Thomson, Donaldson, Betts, TOPC 2016; Wolff et al., ASPLOS 2024; Zhao et al., ASPLOS
2025): POS is good nearly always, SURW where threads differ much in length, PCT at bugs that need few but deep
preemptions, and what needs a certain order among very many threads comes only if it is aimed at. Every other
execution is POS's, so the search is never worse than twice POS; the rest is shared by the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raddle.cast import Cast
from raddle.guide.aims import Aims
from raddle.schedulers.base import Alternative, Scheduler, Thread, chooser
from raddle.schedulers.directed import Directed
from raddle.schedulers.partial_order_sampling import PartialOrderSampling
from raddle.schedulers.pct import PCT
from raddle.schedulers.uniform_walk import UniformWalk
from raddle.step import Step
from raddle.tally import Key

TURNS = ("pos", "directed", "pos", "directed", "pos", "surw", "pos", "directed", "pos", "pct")


@dataclass(slots=True)
class Share:
    """What one of the schedulers brought."""

    executions: int = 0
    covered: int = 0  # requirements that were new then
    found: int = 0  # failures that were new then

    def as_json(self) -> dict[str, int]:
        """For machines."""
        return {"executions": self.executions, "covered": self.covered, "found": self.found}


class Guided:
    """Schedulers that take turns, and what each of them is worth.

    >>> both = Guided({"pos": PartialOrderSampling(1), "pct": PCT(1, depth=3)}, ("pos", "pct"), aims=None)
    >>> [both.begin(number, 0) and both.turn for number in (1, 2, 3)]
    ['pos', 'pct', 'pos']
    """

    complete = False

    def __init__(self, members: Mapping[str, Scheduler], turns: Sequence[str], *, aims: Aims | None) -> None:
        self._members = members
        self._turns = turns
        self.aims = aims
        self.shares = {name: Share() for name in members}
        self.turn = turns[0]
        self._member = members[self.turn]

    @property
    def asks_always(self) -> bool:
        return getattr(self._member, "asks_always", False)

    def turn_of(self, number: int) -> str:
        """Whose turn the execution of that number is."""
        return self._turns[(number - 1) % len(self._turns)]

    def begin(self, number: int, space: int) -> bool:
        rounds, place = divmod(number - 1, len(self._turns))
        self.turn = self._turns[place]
        self._member = self._members[self.turn]
        # Each counts its own executions, so that it does what it would do alone.
        own = rounds * self._turns.count(self.turn) + self._turns[: place + 1].count(self.turn)
        return self._member.begin(own, space)

    def chooser(self) -> Callable[[Any, Any], Any]:
        """Whose turn it is."""
        return chooser(self._member)

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        return self._member.choose(enabled, current)

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        return self._member.choose_alternative(thread, options)

    def end(self) -> None:
        self.shares[self.turn].executions += 1
        self._member.end()

    def take_back(self) -> None:
        """The last execution was interrupted: it does not count."""
        self.shares[self.turn].executions -= 1

    def memory(self) -> object:
        return self._member.memory()

    def remember(self, memory: object) -> None:
        self._member.remember(memory)

    def learn(
        self,
        steps: Sequence[Step],
        cast: Cast,
        covered: Mapping[str, frozenset[Key]],
        *,
        early: frozenset[int],
        new: int,
    ) -> None:
        """What the last execution did and covered, so many requirements of it for the first time."""
        self.shares[self.turn].covered += new
        if self.aims is not None:
            self.aims.learn(steps, cast, covered, early=early)

    def found(self) -> None:
        """The last execution failed in a way that is new."""
        self.shares[self.turn].found += 1


def portfolio(criteria: Sequence[str], *, seed: int) -> Guided:
    """The default search; without criteria there is nothing to aim at.

    >>> portfolio(["map"], seed=1).turn
    'pos'
    """
    aims = Aims(criteria, seed=seed) if criteria else None
    members: dict[str, Scheduler] = {
        "pos": PartialOrderSampling(seed),
        "surw": UniformWalk(seed),
        "pct": PCT(seed, depth=3),
    }
    if aims is None:
        return Guided(members, ("pos", "surw", "pos", "pct"), aims=None)
    members["directed"] = Directed(seed, aims.next_plan)
    return Guided(members, TURNS, aims=aims)


def directed(criteria: Sequence[str], *, seed: int) -> Guided:
    """Only what is aimed at, and POS where there is nothing to aim at.

    >>> directed(["map"], seed=1).turn
    'directed'
    """
    aims = Aims(criteria, seed=seed)
    return Guided({"directed": Directed(seed, aims.next_plan)}, ("directed",), aims=aims)
