"""Tests of `raddle.generation.autocontest.strategy`, `confirmation` and `active` on Fig. 1 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auto_builder import GivenCalls, Subject, workbench_for
from auto_figures import ATTRIBUTES, D1, D2, D3, EDGES, FIGURE_ONE, M1, M3, M5, M7, MODULE, NEW, accesses

from raddle.exploring.workbench import Workbench
from raddle.generation.autocontest.confirmation import confirm
from raddle.generation.autocontest.sequences import Limits
from raddle.generation.autocontest.strategy import AutoConTest
from raddle.generation.binding import bind
from raddle.generation.expressions import Literal
from raddle.generation.strategy import Proposal
from raddle.generation.testcase import Call, TestCase
from raddle.linearizability.checker import Checker, Failure
from raddle.linearizability.judgment import Oracle

LIMITS = Limits(nodes=400, length=30)


def strategy_for(workbench: Workbench, edges: Sequence[Call] = EDGES, limits: Limits | None = LIMITS) -> AutoConTest:
    return AutoConTest(GivenCalls(workbench, [NEW], edges), limits=limits)


def given_sequences(workbench: Workbench) -> AutoConTest:
    """Return a strategy with the sequences of Fig. 4. Its edges only read the attributes."""
    strategy = strategy_for(workbench, ATTRIBUTES)
    for calls in (D1, D2, D3):
        strategy.add(calls)
    return strategy


def failures(workbench: Workbench, strategy: AutoConTest, *, proposals: int = 100) -> list[tuple[Proposal, Failure]]:
    """Run the proposals until the strategy has no more; return those that fail. The attributes are observed."""
    found = []
    for _ in range(proposals):
        proposal = strategy.propose()
        if proposal is None:
            break
        test = replace(proposal.test, observers=ATTRIBUTES)
        with Checker(workbench, bind(test), measuring=proposal.measured) as checker:
            failure = proposal.plan(checker)
            if failure is not None:
                assert checker.confirmed(failure)
                found.append((proposal, failure))
    return found


def names(calls: Sequence[Call]) -> list[str]:
    return [str(call.method) for call in calls]


def test_the_given_sequences_are_assembled_into_six_tests():
    with workbench_for(MODULE) as workbench:
        strategy = strategy_for(workbench)
        tests = [test for calls in (D1, D2, D3) for test in strategy.add(calls)]
    sequences = {D1: 1, D2: 2, D3: 3}
    pairs = [(sequences[test.first.calls], sequences[test.second.calls]) for test in tests]
    assert pairs == [(1, 1), (2, 2), (2, 1), (3, 3), (3, 1), (3, 2)]
    assert tests[4].test == TestCase((NEW,), (D3, D1))
    # Three sequences of 4, 3 and 3 calls with their constructor, and six tests with two threads each.
    assert strategy.progress.calls_of_sequences == 13
    assert strategy.progress.calls_of_tests == 9 + 7 + 8 + 7 + 8 + 7


def test_on_the_given_sequences_active_testing_covers_what_the_paper_says():
    with workbench_for(MODULE) as workbench:
        strategy = given_sequences(workbench)
        failures(workbench, strategy)
        table = workbench.installation.table
        record = strategy.requirements
        covered = {accesses(table, requirement): where for requirement, where in record.covered.items()}
        pruned = {accesses(table, requirement) for requirement in record.pruned}
    assert covered.keys() == {"a7 a3 a7", "a7 a7 a7", "a4 a1 a5", "a4 a5 a5"}
    assert pruned == {"a8 a2 a9", "a8 a9 a9", "a4 a1 a5", "a4 a5 a5"}
    # t5 = (d3 || d1): m3(10) after m7 and m5, against m1(1), in the state of the first sequence.
    confirmation = covered["a4 a1 a5"]
    assert names(confirmation.test.prefix) == ["FigureOne", "m7", "m5"]
    assert [names(thread) for thread in confirmation.test.threads] == [["m3"], ["m1"]]
    assert confirmation.candidate == 0


def test_in_the_second_candidate_state_the_lost_update_cannot_happen():
    # Before m1 in d1, z is 0, so m3 takes the lock.
    with workbench_for(MODULE) as workbench:
        strategy = strategy_for(workbench)
        strategy.add(D3)
        test = strategy.add(D1)[1]
        one, other = strategy.explorer.confirmations_of(test, D1.index(M1), D3.index(M3))
        tried = []
        for confirmation in (one, other):
            strategy.requirements.covered.clear()
            with Checker(workbench, bind(confirmation.test), measuring=True) as checker:
                confirm(confirmation, strategy.requirements, checker)
            tried.append((names(confirmation.test.prefix), len(strategy.requirements.covered)))
    assert tried == [(["FigureOne", "m5"], 0), (["FigureOne", "m7", "m5"], 1)]


def test_the_given_sequences_show_both_bugs():
    with workbench_for(MODULE) as workbench:
        found = failures(workbench, given_sequences(workbench))
    pairs = [sorted(names([thread[0] for thread in proposal.test.threads])) for proposal, _ in found]
    # The first bug: m3 loses the value of m1, or that of another m3. The second: m3 reads 0 from the loop of m5.
    assert {tuple(pair) for pair in pairs} == {("m1", "m3"), ("m3", "m3"), ("m3", "m5")}
    assert all(failure.violation.oracle is Oracle.STATE for _, failure in found)


def test_the_generator_alone_finds_both_bugs():
    with workbench_for(MODULE) as workbench:
        strategy = strategy_for(workbench, limits=None)
        found = failures(workbench, strategy, proposals=60)
    pairs = {tuple(sorted(names([thread[0] for thread in proposal.test.threads]))) for proposal, _ in found}
    assert pairs >= {("m3", "m3"), ("m3", "m5")}


def test_proposals_are_deterministic():
    def once() -> list[TestCase]:
        with workbench_for(MODULE) as workbench:
            strategy = strategy_for(workbench)
            return [proposal.test for _ in range(10) if (proposal := strategy.propose()) is not None]

    assert once() == once()


def test_the_state_is_reached_by_the_shortest_known_sequence():
    with workbench_for(MODULE) as workbench:
        strategy = strategy_for(workbench)
        assert strategy.iterate()
        lengths = [len(result.calls) for result in strategy.progress.searches]
        proposals = [strategy.propose() for _ in range(5)]
    assert all(proposal is not None and len(proposal.test.prefix) < lengths[0] for proposal in proposals)


def test_a_strategy_without_new_traces_proposes_nothing():
    with workbench_for("auto_small") as workbench:
        subject = Subject("auto_small", "Getters")
        strategy = AutoConTest(GivenCalls(workbench, [subject.new()], [subject.call("get_a")]))
        # The first iteration finds one sequence, whose only test has no requirements. The second finds nothing.
        assert [strategy.propose(), strategy.propose()] == [None, None]
        assert [len(result.calls) for result in strategy.progress.searches] == [1, 0]
        assert strategy.requirements.explored_tests == 1


def test_after_several_failed_iterations_the_search_starts_with_a_new_prefix():
    with workbench_for("auto_small") as workbench:
        subject = Subject("auto_small", "Getters")
        strategy = AutoConTest(GivenCalls(workbench, [subject.new()], [subject.call("get_a")]))
        for _ in range(5):  # each runs one iteration, because there is nothing to confirm
            strategy.propose()
        assert [len(result.calls) for result in strategy.progress.searches] == [1, 0, 0, 1, 0]


def test_a_failing_test_has_one_call_against_one_call():
    with workbench_for(MODULE) as workbench:
        for proposal, _ in failures(workbench, given_sequences(workbench)):
            assert [len(thread) for thread in proposal.test.threads] == [1, 1]
            assert proposal.test.prefix[0] == NEW
            assert set(proposal.test.prefix[1:]) <= {M1, M3, M5, M7, FIGURE_ONE.call("m2", 0)}


def test_more_rounds_of_loops_are_shown_when_nothing_else_is_new():
    # Each call of `run` goes through one more round. At first, two rounds are shown, so the first sequence has two
    # calls. Then a third round is shown, and the third call is new.
    with workbench_for("auto_small") as workbench:
        subject = Subject("auto_small", "Loop")
        strategy = AutoConTest(GivenCalls(workbench, [subject.new()], [subject.call("run")]))
        assert [strategy.iterate(), strategy.iterate()] == [True, True]
        assert [len(result.calls) for result in strategy.progress.searches] == [2, 0, 3]


def confirmations_of_test(*calls: Call) -> list[str]:
    """Return the calls of each confirmation of the test that combines a sequence with itself, as "one set(1)"."""
    with workbench_for("auto_small") as workbench:
        subject = Subject("auto_small", "TwoPaths")
        strategy = AutoConTest(GivenCalls(workbench, [subject.new()], calls))
        strategy.add(calls)
        proposals = iter(strategy.explorer.propose, None)
        return [" ".join(call_text(thread[0]) for thread in proposal.test.threads) for proposal in proposals]


def call_text(call: Call) -> str:
    values = [str(value.value) for value in call.arguments if isinstance(value, Literal)]
    return f"{call.method}({values[0]})" if values else str(call.method)


def test_each_interleaving_of_instructions_is_tried_in_one_context_first():
    two_paths = Subject("auto_small", "TwoPaths")
    found = confirmations_of_test(two_paths.call("one"), two_paths.call("two"), two_paths.call("set", 0))
    # The value is 0 before `one`, 1 before `two` and 2 before `set`, so two different calls have two candidate states.
    # `_add` against `_add` and against `set` come first. The other contexts of `_add` follow. `set` has one access,
    # which no other call of `set` can come between. The calls that come first are not tried again.
    instructions = ["one one", "one set(0)", "one set(0)"]
    contexts = ["one two", "one two", "two two", "two set(0)", "two set(0)"]
    assert found == instructions + contexts


def test_an_access_of_the_outermost_method_is_tried_with_each_kind_of_argument():
    two_paths = Subject("auto_small", "TwoPaths")
    one, *setters = two_paths.call("one"), *(two_paths.call("set", value) for value in (1, 2, None))
    # `set` itself writes, so None makes a difference. The state before the last `set` has the value 2, and so on.
    first = ["one one", "one set(1)", "one set(1)", "one set(None)", "one set(None)"]
    # Another value of the same kind comes later. Its state has the value 1, like that of `set(1)`.
    assert confirmations_of_test(one, *setters) == [*first, "one set(2)", "one set(2)"]
