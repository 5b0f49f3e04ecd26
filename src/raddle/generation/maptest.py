"""MAPTest (Wang, Zhao, Liu, Sun, Chen, Lin, ASE 2019): tests and schedules that aim at uncovered access patterns.

A proposal is one round of the loop in Algorithm 2: choose an uncovered pattern, choose methods that could cover it
(Algorithm 4), and build a test. Its plan is Algorithm 5: determine the set P of patterns that the test could cover and
that are still wanted, and aim one eager execution at each. Patterns that an execution covers by chance leave P.

P is computed from two runs of whole calls, one for each order of the threads, and from the source. The executions of
whole calls that the oracle needs, and these two, are the only ones that Algorithm 5's scheduler does not control.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import NamedTuple

from raddle.entities import Entities
from raddle.execute.installation import Installation
from raddle.execute.session import Execution
from raddle.generation.access_model import AccessModel
from raddle.generation.covcon_ranking import OverlapCounter, PairRanking, call_events
from raddle.generation.eager import Eager
from raddle.generation.executions import require_legal, run_sequentially
from raddle.generation.failing_pattern import explaining_pattern
from raddle.generation.fitting_tests import FittingTests
from raddle.generation.identify import identify, identify_from_source
from raddle.generation.pattern_goals import PatternGoals
from raddle.generation.raw_patterns import Family, RawPattern, patterns_in
from raddle.generation.strategy import Proposal, Strategy, TestBuilder
from raddle.generation.surface import Method
from raddle.generation.testcase import TestCase
from raddle.inspection import mro
from raddle.instrument.model.owners import class_owner
from raddle.linearizability.checker import Checker, Failure
from raddle.linearizability.history import History
from raddle.operation import ACCESSES
from raddle.step import Step

MAX_EXECUTIONS = 8  # eager executions for one test; the paper has no limit
MAX_PLAIN = 3  # the same for a test without patterns of separable steps
MAX_UNSEEN = 1  # eager executions that aim at accesses which only the source shows, for one test
MAX_PATTERNS = 20_000  # patterns considered for one test
ATTEMPTS = 10  # families for which a test is looked for until one is found


@dataclass(frozen=True, slots=True)
class Trigger:
    """The patterns behind a failure (Fig. 4 of the paper)."""

    aimed: RawPattern  # the pattern that the scheduler aimed at
    explains: RawPattern | None  # see `explaining_pattern`


@dataclass(frozen=True, slots=True)
class MapTestReport:
    """The state of a search by MAPTest."""

    covered: int  # requirements of MAP-coverage covered so far; equivalent patterns count once
    given_up: int  # patterns given up in the current round
    static_total: int  # T_C, by the paper's formula, including infeasible requirements
    rounds: int
    capped: int  # tests for which more patterns were wanted than the limits allow

    def __str__(self) -> str:
        """Return a summary for reports."""
        return (
            f"{self.covered} of {self.static_total} patterns covered (T_C includes infeasible ones), "
            f"{self.given_up} given up in round {self.rounds}; "
            f"{self.capped} tests reached the limit of {MAX_EXECUTIONS} or {MAX_PLAIN} executions"
        )


class _SequentialRun(NamedTuple):
    """A run of the calls of one thread after those of the other."""

    steps: tuple[Step, ...]
    entities: Entities
    history: History


class MapTest(Strategy):
    """MAPTest, which takes pairs of methods from CovCon's ranking."""

    name = "maptest"

    def __init__(self, builder: TestBuilder, installation: Installation) -> None:
        super().__init__(builder)
        self._installation = installation
        self._table = installation.table
        self.model = AccessModel.from_source(builder.surface, installation.table, installation.model())
        self._random = Random(builder.random.getrandbits(64))
        self.goals = PatternGoals(self.model, self._random)
        self.ranking = self._make_ranking()
        self._tests = FittingTests(
            builder,
            self.model,
            self.goals,
            self._random,
            ranking=self.ranking,
            early=lambda: installation.model().early,
        )
        self._overlaps = OverlapCounter(builder.surface.methods)
        cls = builder.surface.cls.load()
        self._owners = frozenset(class_owner(installation.table, base) for base in mro(cls))
        self._eager = Eager(self._random.getrandbits(32))
        self._executions = 0
        self._capped = 0
        self.trigger: Trigger | None = None  # the patterns behind the last failure

    def _make_ranking(self) -> PairRanking | None:
        return PairRanking(self.builder.surface.methods, self._random)

    @property
    def report(self) -> MapTestReport:
        """The state of the search."""
        goals = self.goals
        covered = {pattern.counted for pattern in goals.covered}
        return MapTestReport(len(covered), goals.given_up, self.model.total(), goals.rounds, self._capped)

    # -- the choice of a test -----------------------------------------------------------------------

    def propose(self) -> Proposal | None:
        """Return a test for the next pattern to aim at."""
        self._tests.observe_all()
        crossed = self._tests.build_for_locks()
        if crossed is not None:
            return self._proposal(None, crossed)
        for _ in range(ATTEMPTS):
            family = self._tests.next_family()
            if family is None:
                self.goals.restart()
                continue
            test = self._tests.build(family)
            if test is not None:
                return self._proposal(family, test)
        return None

    def _proposal(self, family: Family | None, test: TestCase) -> Proposal:
        return Proposal(test, lambda checker: self._execute(checker, family, test), measured=True)

    def patterns_of_failure(self) -> tuple[int, int]:
        if self.trigger is None:
            return 0, 0
        explains = self.trigger.explains
        return self.trigger.aimed.number, 0 if explains is None else explains.number

    def restart(self) -> None:
        """Begin a new round, because other arguments can give covered patterns other effects."""
        self.goals.restart()
        self._tests.restart()

    # -- the executions of a test -------------------------------------------------------------------

    def _execute(self, checker: Checker, family: Family | None, test: TestCase) -> Failure | None:
        """Run Algorithm 5; return the failure of the first execution that fails."""
        sequential = self._run_sequentially(checker)
        patterns, passed = self._patterns(sequential, family, test)
        if not patterns:
            return None  # there is nothing to judge
        for backwards, run in sequential.items():
            require_legal(checker, run.history, backwards=backwards)
        executions, limit, is_wanted = 0, self._limit(patterns, test), self._is_wanted(family)
        for pattern in patterns:
            if not is_wanted(pattern):
                continue
            if executions == limit:
                self._capped += 1
                break
            executions += 1
            failure = self._aim(checker, pattern, passed)
            if failure is not None:
                return failure
        return None

    def _run_sequentially(self, checker: Checker) -> dict[bool, _SequentialRun]:
        """Run the calls of one thread after those of the other, forwards and backwards."""
        runs = {}
        for backwards in (False, True):
            steps, entities = self._observed(run_sequentially(checker, backwards=backwards))
            runs[backwards] = _SequentialRun(steps, entities, checker.harness.history())
        return runs

    def _patterns(
        self, sequential: Mapping[bool, _SequentialRun], family: Family | None, test: TestCase
    ) -> tuple[list[RawPattern], set[RawPattern]]:
        """Return P in the order in which it is tried, and the patterns of the sequential runs."""
        passed: set[RawPattern] = set()
        found: dict[RawPattern, None] = {}
        is_wanted = self._is_wanted(family)
        for run in sequential.values():
            passed |= patterns_in(run.steps, run.entities)
            wanted = islice(identify(run.steps, run.entities, is_wanted), MAX_PATTERNS)
            found.update(dict.fromkeys(wanted))
        self.goals.cover(passed)
        methods = [call.method for calls in test.threads for call in calls]
        order = self._varied(found, family, methods)
        # Patterns with accesses that only the source shows hardly ever happen with the arguments of this test.
        if order and family is not None and family not in {pattern.family for pattern in order}:
            one, other = ([a for call in calls for a in self.model.of(call.method)] for calls in test.threads)
            static = islice(identify_from_source(one, other, self.goals.is_open), MAX_PATTERNS)
            order += self._varied((p for p in static if p.family == family), family, methods)[:MAX_UNSEEN]
        return order, passed

    def _is_wanted(self, family: Family | None) -> Callable[[RawPattern], bool]:
        """Return what says whether to aim at a pattern: always if the test is about locks, not about a family."""
        return self.goals.is_open if family is not None else lambda pattern: True

    def _varied(
        self, patterns: Iterable[RawPattern], family: Family | None, methods: Sequence[Method]
    ) -> list[RawPattern]:
        """Return the open patterns: those of separable steps first, and among these one of each family in turn.

        Patterns of one family often cannot happen for the same reason, so a variety of them is more promising.
        """
        order = list(filter(self._is_wanted(family), patterns))
        self._random.shuffle(order)
        turns: Counter[Family] = Counter()
        keys = {}
        for pattern in order:
            separable = self.goals.steps.has(pattern, methods)
            keys[pattern] = not separable, self.goals.tries(pattern), turns[pattern.family], pattern.family != family
            turns[pattern.family] += 1
        return sorted(order, key=keys.__getitem__)

    def _limit(self, patterns: Sequence[RawPattern], test: TestCase) -> int:
        """Return the maximum number of executions of a test, given its patterns in the order of the tries."""
        methods = [call.method for calls in test.threads for call in calls]
        separable = sum(self.goals.steps.has(pattern, methods) for pattern in patterns[:MAX_EXECUTIONS])
        return max(separable, MAX_PLAIN)

    def _observed(self, execution: Execution) -> tuple[tuple[Step, ...], Entities]:
        """Return the steps of an execution without the accesses of constructors to their own objects."""
        assert execution.observed is not None, "the session does not measure"
        steps, entities = execution.observed
        early = self._installation.model().early
        return tuple([step for step in steps if step[3] not in early or step[1] not in ACCESSES]), entities

    def _aim(self, checker: Checker, pattern: RawPattern, passed: set[RawPattern]) -> Failure | None:
        """Run one execution that aims at a pattern."""
        for site in pattern.sites:
            checker.session.known_points.add_site(site)
        self._executions += 1
        self._eager.aim(pattern)
        self._eager.begin(self._executions, checker.session.known_points.version)
        execution, failure = checker.run(self._eager)
        self.goals.add_try(pattern)
        steps, entities = self._observed(execution)
        if self.ranking is not None:
            self.ranking.add_covered(self._overlaps.count(call_events(steps, self._table, self._owners)))
        covered = patterns_in(steps, entities)
        self.goals.cover(covered)
        if failure is None:
            passed |= covered
        else:
            explains = explaining_pattern(checker.harness, failure.violation, (steps, entities), passed, self._eager)
            self.trigger = Trigger(pattern, explains)
        return failure


class MapTestRandom(MapTest):
    """MAPTest-Random, which draws all methods at random among those that fit."""

    name = "maptest-random"

    def _make_ranking(self) -> None:
        return None
