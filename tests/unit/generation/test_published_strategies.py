import os

import pytest
import shared_classes
from fake_builder import SELECTION, FakeBuilder, make_workbench, run_strategy

from raddle.generation.binding import bind
from raddle.generation.contege import MAX_TRIES, ConTeGeStar
from raddle.generation.covcon import MANY_TRIES, CovConStar
from raddle.generation.expressions import Imported, Variable
from raddle.generation.native_runs import NativeSettings
from raddle.generation.published_strategies import NAMES, make_published_strategy
from raddle.generation.strategy import Prefix
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import SHARED, Call
from raddle.linearizability.checker import Checker
from raddle.linearizability.judgment import Oracle


@pytest.fixture(scope="module")
def workbench():
    with make_workbench() as entered:
        yield entered


def settings_of(workbench):
    return NativeSettings(workbench.installation, SELECTION)


def names_of(test):
    return tuple(tuple(call.method.name for call in thread) for thread in test.threads)


class NodeBuilder(FakeBuilder):
    """Calls `equals` on two objects, each with the other one as the argument (V8 of the MAPTest paper)."""

    def __init__(self, workbench, *, seed=1):
        owner = Imported("shared_classes", "Node")
        other = Call(Method("", MethodKind.CONSTRUCTOR, owner), result="other")
        super().__init__(workbench, shared_classes.Node, prefix=(other,), seed=seed)

    def call(self, prefix, method, *, receiver=SHARED):
        one, other = self.random.sample((SHARED, "other"), 2)
        return Call(method, (Variable(other),), receiver=one)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_makes_its_strategy(workbench, name):
    assert (
        make_published_strategy(name, FakeBuilder(workbench, shared_classes.Pair), settings_of(workbench)).name == name
    )


def test_an_unknown_name_is_refused(workbench):
    with pytest.raises(ValueError, match="valid names: maptest, "):
        make_published_strategy("best", FakeBuilder(workbench, shared_classes.Pair), settings_of(workbench))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("contege", "covcon", "random")])
def test_strategies_are_deterministic_for_a_seed(workbench, name):
    def run(seed):
        builder = FakeBuilder(workbench, shared_classes.Pair, seed=seed)
        builder._calls = {"set_both": [(Variable(SHARED),)]}
        strategy = make_published_strategy(name, builder, settings_of(workbench))
        tests = []
        propose = strategy.propose

        def recorded():
            proposal = propose()
            tests.append(None if proposal is None else proposal.test)
            return proposal

        strategy.propose = recorded
        failure, _ = run_strategy(workbench, strategy, tests=12)
        return tests, failure and failure.decisions

    assert run(1) == run(1)
    assert run(1) != run(2) or run(1) != run(3)


@pytest.mark.parametrize("name", ["maptest", "maptest-random", "contege*", "covcon*"])
def test_torn_reads_are_found_under_control(workbench, name):
    # set_both(1) in one thread, get_both() in the other: (1, 0) is not the result of any order of whole calls.
    builder = FakeBuilder(workbench, shared_classes.Pair)
    builder._calls = {"set_both": [(Variable(SHARED),)]}
    strategy = make_published_strategy(name, builder, settings_of(workbench))
    failure, _ = run_strategy(workbench, strategy, tests=60)
    assert failure.violation.oracle in (Oracle.RESULTS, Oracle.STATE)


@pytest.mark.parametrize("name", ["contege*", "covcon*"])
def test_a_deadlock_across_two_objects_is_found(workbench, name):
    # Pattern 1 to 17 say nothing about locks, so MAPTest has no pattern to aim at in this class, which writes nothing.
    failure, _ = run_strategy(
        workbench, make_published_strategy(name, NodeBuilder(workbench), settings_of(workbench)), tests=200
    )
    assert failure.violation.oracle is Oracle.HANGS


def test_covcon_counts_a_pair_across_two_objects(workbench):
    strategy = CovConStar(NodeBuilder(workbench), workbench.installation)
    run_strategy(workbench, strategy, tests=1)
    (pair,) = strategy.ranking.pairs
    assert str(pair[0]) == str(pair[1]) == "equals"
    assert strategy.ranking.covered(pair) > 0


def test_both_threads_of_covcon_call_both_methods_in_opposite_orders(workbench):
    strategy = CovConStar(FakeBuilder(workbench, shared_classes.Locked), workbench.installation)
    seen = set()
    for _ in range(6):  # 3 pairs, 2 tests each
        one, other = names_of(strategy.propose().test)
        assert len(one) == len(other) == 2
        assert one == other[::-1]
        seen.add(frozenset(one))
    assert seen == {frozenset({"add"}), frozenset({"get"}), frozenset({"add", "get"})}


def test_covcon_makes_longer_tests_after_many_tries_and_shares_prefixes_by_try(workbench):
    class Counting(FakeBuilder):
        prefixes = 0

        def prefix(self, *, max_calls=5, preferred=()):
            self.prefixes += 1
            return Prefix(self._prefix, {SHARED: self._cls})

    builder = Counting(workbench, shared_classes.Node)  # one method, so one pair
    strategy = CovConStar(builder, workbench.installation)
    lengths = [len(strategy.propose().test.threads[0]) for _ in range(2 * MANY_TRIES + 2)]
    assert lengths == [2] * (2 * MANY_TRIES) + [5, 5]
    assert builder.prefixes == 2 * (MANY_TRIES + 1)  # one without and one with state changers for each try


def test_all_pairs_share_the_prefix_of_their_first_try(workbench):
    class Counting(FakeBuilder):
        changers = ()

        def prefix(self, *, max_calls=5, preferred=()):
            self.changers = (*self.changers, max_calls)
            return Prefix(self._prefix, {SHARED: self._cls})

    builder = Counting(workbench, shared_classes.Locked)
    strategy = CovConStar(builder, workbench.installation)
    for _ in range(6):
        strategy.propose()
    assert builder.changers == (0, 5)


def test_contege_tests_a_suffix_with_every_earlier_one_and_with_itself(workbench):
    builder = FakeBuilder(workbench, shared_classes.Locked)
    strategy = ConTeGeStar(builder)
    strategy._suffixes = [(builder.prefix(), [])] * (MAX_TRIES // 20)  # all prefixes exist already, and are the same
    tests = []
    while len(tests) < 10:  # 2 methods: 4 suffixes of 2 calls, so 1 + 2 + 3 + 4 tests
        proposal = strategy.propose()
        if proposal is not None:
            tests.append(names_of(proposal.test))
    assert len(set(tests)) == 10
    assert {frozenset(threads) for threads in tests} == {
        frozenset({one, other})
        for one in (("add", "add"), ("add", "get"), ("get", "add"), ("get", "get"))
        for other in (("add", "add"), ("add", "get"), ("get", "add"), ("get", "get"))
    }


def test_contege_accepts_no_suffix_that_raises_in_a_sequential_run(workbench):
    builder = FakeBuilder(workbench, shared_classes.Exits)
    builder.surface = type(builder.surface)(
        builder.surface.cls, builder.surface.constructors, (builder.method("fail"), builder.method("quiet"))
    )
    strategy = ConTeGeStar(builder)
    for _ in range(20):
        proposal = strategy.propose()
        assert proposal is None or names_of(proposal.test) == (("quiet", "quiet"), ("quiet", "quiet"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="native runs need os.fork")
@pytest.mark.parametrize("name", ["contege", "covcon", "random"])
def test_baselines_run_on_native_threads(workbench, name):
    builder = FakeBuilder(workbench, shared_classes.Locked)
    strategy = make_published_strategy(name, builder, settings_of(workbench))
    proposal = strategy.propose()
    with Checker(workbench, bind(proposal.test), measuring=proposal.measured) as checker:
        assert proposal.plan(checker) is None  # the class is correct
        assert checker.executions == (100 if name == "contege" else 1)
    if name == "random":
        assert strategy.covered


@pytest.mark.parametrize("pair", [("contege", "contege*"), ("covcon", "covcon*")])
def test_native_and_controlled_strategies_choose_the_same_tests(workbench, pair):
    def tests(name):
        builder = FakeBuilder(workbench, shared_classes.Axis, seed=5)
        strategy = make_published_strategy(name, builder, settings_of(workbench))
        return [proposal.test for proposal in (strategy.propose() for _ in range(20)) if proposal is not None]

    assert tests(pair[0]) == tests(pair[1])
    assert len(set(tests(pair[0]))) > 5
