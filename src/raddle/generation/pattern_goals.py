"""The patterns that MAPTest still wants to cover, and how often it has tried.

Algorithm 2 of the paper aims at patterns of one variable as long as there are any. If one of them is infeasible, the
patterns of two variables are never reached. Here the targets are divided into four groups, and each group gets a share
of the tests: patterns of one or of two variables, with or without steps that one call makes and that no lock keeps
together (see `separable_steps`). In each group, the families tried least come first. A pattern that stays uncovered
after several executions is given up, which does not change any total.

The classes of the paper keep all arguments apart from the patterns: once a pattern is covered, it is not tried with
other arguments. Here a new round begins when no target is left or when the pools of arguments change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from heapq import heappop, heappush
from math import sqrt
from random import Random
from typing import NamedTuple

from raddle.generation.access_model import AccessModel
from raddle.generation.raw_patterns import Family, RawPattern
from raddle.generation.separable_steps import SeparableSteps

GIVE_UP = 3  # executions aimed at a pattern, after which it is given up
GIVE_UP_VAIN = 3  # times that no test is found for a family, after which none is looked for
GIVE_UP_FAMILY = 10  # tests aimed at a family, after which no further test is aimed at it


class _Group(NamedTuple):
    """The families about one variable or a pair of variables whose steps can be separated, or not."""

    pair: bool
    separable: bool


_SHARES = {_Group(False, True): 10, _Group(True, True): 8, _Group(False, False): 3, _Group(True, False): 1}


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
        self.steps = SeparableSteps()
        self._random = random
        self.covered: set[RawPattern] = set()  # in all rounds
        self.rounds = 0
        self.restart()

    def restart(self) -> None:
        """Begin a new round, in which every pattern is a target again."""
        self.rounds += 1
        self._covered: set[RawPattern] = set()
        self._tries: Counter[RawPattern] = Counter()
        self._tests: Counter[Family] = Counter()  # tests aimed at each family in this round
        self._vain: Counter[Family] = Counter()  # how often no test was found for a family
        self._settled: Counter[Family] = Counter()  # patterns covered or given up in this round
        self._known: dict[_Group, set[Family]] = {group: set() for group in _SHARES}
        # For each group a heap of families, each after the number of tests aimed at it.
        self._waiting: dict[_Group, list[tuple[int, float, Family]]] = {group: [] for group in _SHARES}
        self._has_separable = False  # whether there are families whose steps can be separated
        self._versions: dict[_Group, tuple[int, int]] = {}  # of the model and of the steps, when families were added

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

    def add_vain_test(self, family: Family) -> None:
        """Count that no test was found that can perform the steps of a family."""
        self._vain[family] += 1

    def cover(self, patterns: Iterable[RawPattern]) -> None:
        """Mark all patterns of an execution as covered."""
        for pattern in patterns:
            if pattern not in self._covered:
                self._covered.add(pattern)
                self.covered.add(pattern)
                if self._tries[pattern] < GIVE_UP:
                    self._settled[pattern.family] += 1

    def least_tried(self, families: Iterable[Family]) -> Family | None:
        """Return one of the families with the fewest tests in this round; None if all have been tried enough."""
        left = [family for family in families if self._tests[family] < GIVE_UP_FAMILY]
        while left:
            fewest = min(map(self._tests.__getitem__, left))
            found = [family for family in left if self._tests[family] == fewest]
            self._random.shuffle(found)
            for family in found:
                if self._is_wanted(family):
                    self._tests[family] += 1
                    return family
            left = [family for family in left if self._tests[family] > fewest]
        return None

    def _is_wanted(self, family: Family) -> bool:
        """Return whether patterns of a family are left, and tests of them have been found."""
        return self._settled[family] < self._model.size(family) and self._vain[family] < GIVE_UP_VAIN

    def next_family(self) -> Family | None:
        """Return the next family to aim at; None if it is time for a new round.

        The others alone are not worth tests if there are families with steps that can be separated.
        """
        groups = dict(_SHARES)
        while groups and (any(group.separable for group in groups) or not self._has_separable):
            (group,) = self._random.choices(list(groups), list(groups.values()))
            family = self._pop(group)
            if family is not None:
                return family
            del groups[group]
        return None

    def _pop(self, group: _Group) -> Family | None:
        """Return a family of those with the fewest tests; None if no family is left."""
        self._add_new_families(group)
        waiting = self._waiting[group]
        while waiting:
            tests, _, family = heappop(waiting)
            if self._is_wanted(family):
                self._tests[family] += 1
                if tests + 1 < GIVE_UP_FAMILY:
                    self._push(group, family, tests + 1)
                return family
        return None

    def _add_new_families(self, group: _Group) -> None:
        version = self._model.version, self.steps.version
        if self._versions.get(group) == version:
            return
        self._versions[group] = version
        known = self._known[group]
        separable = self._known[_Group(group.pair, True)]
        for family in self.steps.families() if group.separable else self._model.families(pair=group.pair):
            if family.pair == group.pair and family not in known and family not in separable:
                known.add(family)
                self._push(group, family, 0)

    def _push(self, group: _Group, family: Family, tests: int) -> None:
        """Add a family to a group. The more patterns it has, the earlier it tends to be chosen."""
        size = self._model.size(family)
        if size:
            self._has_separable = self._has_separable or group.separable
            heappush(self._waiting[group], (tests, self._random.expovariate(sqrt(size)), family))
