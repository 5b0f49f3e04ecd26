"""Builds tests whose calls can perform the steps of a family of patterns, as far as sequential runs show.

The methods of a test come from Algorithm 4 of the MAPTest paper, in which R_m and W_m say which methods access a
variable. Whether a call does depends on its arguments and on the state of the object. So here a method fits only if one
of its calls was seen to make the access after the same prefix. Some tests do without that, because an access can also
depend on what the other thread does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import IntEnum
from itertools import chain, islice
from random import Random

from raddle.generation.access_model import AccessModel
from raddle.generation.covcon_ranking import PairRanking
from raddle.generation.identify import identify
from raddle.generation.method_choice import MethodChoice
from raddle.generation.pattern_goals import PatternGoals
from raddle.generation.raw_patterns import Family
from raddle.generation.separable_steps import runs_of
from raddle.generation.sequential_accesses import nests_locks
from raddle.generation.stage import Stage
from raddle.generation.strategy import Observed, Prefix, TestBuilder
from raddle.generation.surface import Method
from raddle.generation.testcase import Call, TestCase
from raddle.generation.tests_of_methods import build_test, crossed_test

OBSERVATIONS = 3  # sequential runs of each method that refine the access model
UNOBSERVED = 0.1  # share of the tests whose calls are not known to make the steps of the pattern
DRAWN_TESTS = 2  # tests that are drawn until one fits a family
LOCKS = 0.1  # share of the tests that use the locks of two instances, if methods do
DRAWN_PREFIXES = 4  # prefixes that are drawn until one constructs two instances
CANDIDATES = 3  # methods that are observed for each step of a family
MAX_FITTING = 50  # patterns that are examined to tell how well a test fits


class _Fit(IntEnum):
    """How well a test fits a family."""

    NONE = 0  # no pattern that is still wanted can happen
    PLAIN = 1
    SEPARABLE = 2  # one call makes both steps of a thread, without a lock that keeps them together


class FittingTests:
    """Chooses families of patterns and builds tests for them."""

    def __init__(
        self,
        builder: TestBuilder,
        model: AccessModel,
        goals: PatternGoals,
        random: Random,
        *,
        ranking: PairRanking | None,
        early: Callable[[], Collection[int]],
    ) -> None:
        """Create a builder of tests.

        Args:
            builder: Builds the parts of tests, and runs them without concurrency.
            model: The accesses of each method, which sequential runs refine.
            goals: The patterns that are wanted.
            random: The source of random choices.
            ranking: Chooses pairs of methods; None if they are drawn at random.
            early: Returns the sites of accesses that constructors make to their own objects.
        """
        self._builder = builder
        self._model = model
        self._goals = goals
        self._random = random
        self._ranking = ranking
        self._early = early
        self._choose = MethodChoice(model, random, steps=goals.steps, ranking=ranking)
        self._stage: Stage | None = None
        self._nesting: dict[Method, None] = {}  # methods of which a call acquired a lock while it held another one
        self._observations: Counter[Method] = Counter()
        self._has_observed = False  # whether all methods have been observed

    def restart(self) -> None:
        """Begin a new round with other arguments."""
        self._stage = None
        self._observations.clear()

    def next_family(self) -> Family | None:
        """Return the family to aim at: one that suits the calls of the present stage, or the next one of all."""
        if self._stage is not None and not self._stage.is_used_up:
            self._stage.uses += 1
            family = self._goals.least_tried(self._stage.families())
            if family is not None:
                return family
        self._stage = None
        return self._goals.next_family()

    def build(self, family: Family) -> TestCase | None:
        """Return a test for a family; None if none was found."""
        is_observed = self._goals.steps.has_family(family) and self._random.random() >= UNOBSERVED
        test = self._observed_test(family) if is_observed else self._unobserved_test(family)
        if test is None:
            self._goals.add_vain_test(family)
        elif self._ranking is not None:
            self._ranking.add_tried((test.threads[0][0].method, test.threads[1][0].method))
        return test

    def build_for_locks(self) -> TestCase | None:
        """Return a test whose threads may acquire the locks of two instances in opposite orders; None in most cases.

        Both methods were seen to acquire a lock while they held another one. Which access patterns such a test can
        cover does not matter: a deadlock is no pattern of accesses.
        """
        if not self._nesting or self._random.random() >= LOCKS:
            return None
        methods = list(self._nesting)
        prefix = next((one for one in self._prefixes() if len(one.instances) > 1), None)
        if prefix is None:
            return None
        threads = [[self._random.choice(methods)], [self._random.choice(methods)]]
        return crossed_test(self._builder, prefix, threads, share=1.0)

    def _prefixes(self) -> Iterator[Prefix]:
        """Yield some prefixes."""
        prefixes = (self._builder.prefix() for _ in range(DRAWN_PREFIXES))
        return (prefix for prefix in prefixes if prefix is not None)

    # -- tests --------------------------------------------------------------------------------------

    def _unobserved_test(self, family: Family) -> TestCase | None:
        """Return a test of methods that may make the steps of a family."""
        threads = self._choose(family)
        prefix = None if threads is None else self._builder.prefix(preferred=self._changers(family))
        if threads is None or prefix is None:
            return None
        for method in dict.fromkeys(chain(*threads)):
            self._observe(prefix, method)
        return build_test(self._builder, prefix, threads)

    def _observed_test(self, family: Family) -> TestCase | None:
        """Return a test of calls that make the steps of a family when they run alone."""
        stage = self._stage = self._stage or self._new_stage(family)
        plain: TestCase | None = None
        for _ in range(0 if stage is None else DRAWN_TESTS):
            assert stage is not None
            threads = stage.threads(family)
            if threads is None:
                break
            test = self._crossed(stage, threads) or TestCase(stage.prefix.calls, threads)
            fit = self._fit(family, test)
            if fit is _Fit.SEPARABLE:
                return test
            if fit is _Fit.PLAIN:
                plain = plain or test
        return plain

    def _crossed(self, stage: Stage, threads: Sequence[Sequence[Call]]) -> TestCase | None:
        """Return a test whose threads call the same methods of different instances, in some of the cases."""
        methods = [[call.method for call in calls] for calls in threads]
        return crossed_test(self._builder, stage.prefix, methods)

    def _fit(self, family: Family, test: TestCase) -> _Fit:
        """Return how well a test fits a family, according to a run of one thread after the other."""
        observed = self._builder.observe_whole(test)
        if observed is None:
            return _Fit.NONE
        methods = [call.method for calls in test.threads for call in calls]
        found = islice(identify(*observed, self._goals.is_open, family=family), MAX_FITTING)
        fits = (_Fit.SEPARABLE if self._goals.steps.has(pattern, methods) else _Fit.PLAIN for pattern in found)
        return max(fits, default=_Fit.NONE)

    # -- stages -------------------------------------------------------------------------------------

    def _new_stage(self, family: Family) -> Stage | None:
        """Return a stage with calls of some of the methods that may make the steps of a family."""
        prefix = self._builder.prefix(preferred=self._changers(family))
        if prefix is None:
            return None
        stage = Stage(prefix, self._builder, self._random, self._ranking)
        for method in self._candidates(family):
            for observed in stage.observe(method):
                self._note_locks(method, observed)
        return stage

    def _candidates(self, family: Family) -> list[Method]:
        """Return some of the methods that may make the steps of a family."""
        fitting = [self._goals.steps.methods(family, run) for run in runs_of(family.parts)]
        accesses = dict.fromkeys((part.kind, family.variable(part)) for part in family.parts)
        groups = (*fitting, *(self._model.methods_with(kind, variable) for kind, variable in accesses))
        samples = (self._random.sample(methods, min(CANDIDATES, len(methods))) for methods in groups)
        return list(dict.fromkeys(chain.from_iterable(samples)))

    def _changers(self, family: Family) -> list[Method]:
        """Return the methods that may change the variables of a family."""
        changers = (self._model.methods_with("write", variable) for variable in (family.x, family.y))
        return list(dict.fromkeys(chain.from_iterable(changers)))

    # -- the access model ---------------------------------------------------------------------------

    def observe_all(self) -> None:
        """Observe all methods once, because the source may not show their accesses completely."""
        prefix = None if self._has_observed else self._builder.prefix()
        if prefix is not None:
            self._has_observed = True
            for method in self._builder.surface.methods:
                self._observe(prefix, method)

    def _observe(self, prefix: Prefix, method: Method) -> None:
        """Refine the access model with a sequential run of a method, unless it has been observed often enough."""
        if self._observations[method] < OBSERVATIONS:
            self._observations[method] += 1
            call = self._builder.call(prefix, method)
            observed = None if call is None else self._builder.observe(prefix, [call])
            if observed is not None:
                self._learn(method, observed)

    def _learn(self, method: Method, observed: Observed) -> None:
        early = self._early()
        steps = [step for step in observed[0] if step[3] not in early]
        self._model.learn(method, steps, observed[1])
        self._goals.steps.learn(method, steps, observed[1])
        self._note_locks(method, observed)

    def _note_locks(self, method: Method, observed: Observed) -> None:
        if method not in self._nesting and nests_locks(observed[0]):
            self._nesting[method] = None
