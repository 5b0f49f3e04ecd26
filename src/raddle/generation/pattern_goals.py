"""The patterns that MAPTest still wants to cover, and how often it has tried.

Algorithm 2 of the paper aims at patterns of one variable as long as there are any. If one of them is infeasible, the
patterns of two variables are never reached. Here the next target is always among those tried least, and patterns of one
variable come first among equals. A pattern that stays uncovered after several executions is given up, which does not
change any total.

The classes of the paper keep all arguments apart from the patterns: once a pattern is covered, it is not tried with
other arguments. Here a new round begins when no target is left or when the pools of arguments change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from raddle.generation.access_model import AccessModel
from raddle.generation.raw_patterns import Family, RawPattern

GIVE_UP = 3  # executions aimed at a pattern, after which it is given up
GIVE_UP_FAMILY = 10  # tests aimed at a family, after which no further test is aimed at it


class PatternGoals:
    """The patterns left to cover in this round.

    >>> th = ("log.py:Log", "th")
    >>> goals = PatternGoals(AccessModel({}), Random(1))
    >>> pattern = RawPattern(3, th, ("", ""), (9, 9))
    >>> [goals.is_open(pattern), *[goals.add_try(pattern) for _ in range(GIVE_UP)], goals.is_open(pattern)]
    [True, None, None, None, False]
    """

    def __init__(self, model: AccessModel, random: Random) -> None:
        self._model = model
        self._random = random
        self.covered: set[RawPattern] = set()  # in all rounds
        self.rounds = 0
        self.restart()

    def restart(self) -> None:
        """Begin a new round, in which every pattern is a target again."""
        self.rounds += 1
        self._covered: set[RawPattern] = set()
        self._tries: Counter[RawPattern] = Counter()
        self._settled: Counter[Family] = Counter()  # patterns covered or given up in this round
        self._known: set[Family] = set()
        # Maps the number of tests aimed at a family, and whether it is about two variables, to the families.
        self._waiting: dict[tuple[int, bool], list[Family]] = {}
        self._version = -1

    def is_open(self, pattern: RawPattern) -> bool:
        """Return whether a pattern is neither covered nor given up."""
        return pattern not in self._covered and self._tries[pattern] < GIVE_UP

    def tries(self, pattern: RawPattern) -> int:
        """Return how many executions have been aimed at a pattern."""
        return self._tries[pattern]

    @property
    def given_up(self) -> int:
        """The number of patterns given up in this round."""
        return sum(times >= GIVE_UP and pattern not in self._covered for pattern, times in self._tries.items())

    def add_try(self, pattern: RawPattern) -> None:
        """Count an execution aimed at a pattern. Call this before `cover`."""
        self._tries[pattern] += 1
        if self._tries[pattern] == GIVE_UP and pattern not in self._covered:
            self._settled[pattern.family] += 1

    def cover(self, patterns: Iterable[RawPattern]) -> None:
        """Mark all patterns of an execution as covered."""
        for pattern in patterns:
            if pattern not in self._covered:
                self._covered.add(pattern)
                self.covered.add(pattern)
                if self._tries[pattern] < GIVE_UP:
                    self._settled[pattern.family] += 1

    def next_family(self) -> Family | None:
        """Return the next family to aim at; None if no family is left in this round."""
        if self._version != self._model.version:
            self._version = self._model.version
            for family in self._model.families():
                if family not in self._known:
                    self._known.add(family)
                    self._waiting.setdefault((0, family.pair), []).append(family)
        for key in sorted(self._waiting):
            families = self._waiting[key]
            while families:
                place = self._random.randrange(len(families))
                families[place], families[-1] = families[-1], families[place]
                family = families.pop()
                if self._settled[family] < self._model.size(family):
                    if key[0] + 1 < GIVE_UP_FAMILY:
                        self._waiting.setdefault((key[0] + 1, family.pair), []).append(family)
                    return family
        return None
