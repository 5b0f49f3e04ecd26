import os
import subprocess
import sys

import pytest
import shared_classes
from fake_builder import FakeBuilder, make_workbench, run_strategy

from raddle.generation import maptest
from raddle.generation.binding import bind
from raddle.generation.expressions import Imported, Literal, New, Variable
from raddle.generation.maptest import MapTest, MapTestRandom
from raddle.generation.strategy import Prefix
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import SHARED, Call
from raddle.linearizability.checker import Checker

NEW_PRIORITY = New(Imported("shared_classes", "Priority"), (Literal(1),))
CALLS = {"is_as_severe_as_threshold": [(NEW_PRIORITY,)], "set_threshold": [(Literal(None),), (NEW_PRIORITY,)]}


def threshold_builder(workbench, seed):
    """The threshold must be set first: as Fig. 2 is printed, `th` is null at first, and the second read never runs."""
    owner = Imported("shared_classes", "Threshold")
    first = Call(Method("set_threshold", MethodKind.METHOD, owner), (NEW_PRIORITY,))
    return FakeBuilder(workbench, shared_classes.Threshold, CALLS, prefix=(first,), seed=seed)


@pytest.mark.parametrize("strategy", [MapTest, MapTestRandom])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_example_of_the_paper_fails(strategy, seed):
    with make_workbench() as workbench:
        chosen = strategy(threshold_builder(workbench, seed), workbench.installation)
        failure, _ = run_strategy(workbench, chosen, tests=40)
    assert failure.violation.exception == "AttributeError"
    # A reads th (not None), B writes None, A reads None: no passing execution contains pattern 4.
    assert chosen.trigger.explains.number in (1, 2, 4)
    assert chosen.trigger.explains.x[1] == "th"


def record_schedulers(checker):
    """Record the scheduler of each execution of a checker."""
    used = []
    run_for = checker.session.run_for

    def recorded(scheduler, **options):
        used.append(type(scheduler).__name__)
        return run_for(scheduler, **options)

    checker.session.run_for = recorded
    return used


def pair_strategy(workbench, seed=1):
    builder = FakeBuilder(workbench, shared_classes.Locked, seed=seed)
    return MapTest(builder, workbench.installation)


def test_all_executions_but_those_of_whole_calls_are_eager():
    with make_workbench() as workbench:
        strategy = pair_strategy(workbench)
        for _ in range(5):
            proposal = strategy.propose()
            with Checker(workbench, bind(proposal.test), measuring=proposal.measured) as checker:
                used = record_schedulers(checker)
                assert proposal.plan(checker) is None  # the class is correct
                whole_calls = {"WholeCalls", "InOrder"}
                assert set(used) <= {*whole_calls, "Eager"}
                first_eager = used.index("Eager") if "Eager" in used else len(used)
                assert set(used[:first_eager]) == whole_calls
                assert set(used[first_eager:]) <= {"Eager"}
                assert used.count("InOrder") == 2


def test_there_is_one_execution_for_each_open_pattern_up_to_a_limit(monkeypatch):
    with make_workbench() as workbench:
        strategy = MapTest(FakeBuilder(workbench, shared_classes.Guarded), workbench.installation)
        monkeypatch.setattr(maptest, "MAX_EXECUTIONS", 1)
        monkeypatch.setattr(maptest, "MAX_PLAIN", 1)
        counts = []
        while not strategy.report.capped:
            proposal = strategy.propose()
            with Checker(workbench, bind(proposal.test), measuring=True) as checker:
                used = record_schedulers(checker)
                proposal.plan(checker)
            counts.append(used.count("Eager"))
        assert counts[-1] == 1
        assert max(counts) == 1
        assert "1 tests reached the limit" in str(strategy.report)


def test_a_test_without_patterns_is_not_judged():
    with make_workbench() as workbench:
        strategy = pair_strategy(workbench)
        proposal = strategy.propose()
        strategy.goals.is_open = lambda pattern: False  # everything is covered or given up
        with Checker(workbench, bind(proposal.test), measuring=True) as checker:
            used = record_schedulers(checker)
            assert proposal.plan(checker) is None
        assert used == ["InOrder", "InOrder"]


def test_covered_patterns_are_not_aimed_at():
    with make_workbench() as workbench:
        strategy = pair_strategy(workbench)
        proposal = strategy.propose()
        strategy.goals.is_open = lambda pattern: False  # everything is covered or given up
        with Checker(workbench, bind(proposal.test), measuring=True) as checker:
            used = record_schedulers(checker)
            proposal.plan(checker)
        assert "Eager" not in used


def test_patterns_of_two_variables_are_covered_although_patterns_of_one_are_infeasible():
    # Both methods of Guarded hold the lock, so patterns 4 to 8 with both steps of A in one call are infeasible.
    with make_workbench() as workbench:
        builder = FakeBuilder(workbench, shared_classes.Guarded)
        strategy = MapTest(builder, workbench.installation)
        run_strategy(workbench, strategy, tests=20)
    numbers = {pattern.number for pattern in strategy.goals.covered}
    # One call in each thread covers no chain; two calls of a thread, before and after the other thread's call, do.
    assert numbers & {9, 12, 14}
    assert numbers & {4, 5, 6, 7, 8}


def test_a_restart_begins_a_new_round():
    with make_workbench() as workbench:
        strategy = pair_strategy(workbench)
        run_strategy(workbench, strategy, tests=3)
        covered = len(strategy.goals.covered)
        assert covered
        strategy.restart()
        assert strategy.goals.rounds == 2
        assert all(strategy.goals.is_open(pattern) for pattern in strategy.goals.covered)
        assert len(strategy.goals.covered) == covered


def test_a_class_without_patterns_gets_no_tests():
    with make_workbench() as workbench:
        strategy = MapTest(FakeBuilder(workbench, shared_classes.Exits), workbench.installation)
        assert strategy.propose() is None


def test_a_failure_names_the_pattern_that_was_aimed_at_and_one_that_explains_it():
    with make_workbench() as workbench:
        strategy = MapTest(threshold_builder(workbench, 1), workbench.installation)
        run_strategy(workbench, strategy, tests=20)
        table = workbench.installation.table
        aimed, explains = strategy.trigger.aimed, strategy.trigger.explains
        assert {table[site].name for site in aimed.sites} == {"th"}
        assert str(aimed).startswith(f"pattern {aimed.number}: A ")
        # The second read of th is in line 2 of the condition; the write comes before it in every failing execution.
        (last,) = [table[site] for site in explains.sites[-1:]]
        assert (last.kind, last.function) == ("read", "Threshold.is_as_severe_as_threshold")


SCRIPT = """
import shared_classes
from fake_builder import make_workbench, run_strategy
from raddle.generation.maptest import MapTest
from test_maptest import threshold_builder
with make_workbench() as workbench:
    strategy = MapTest(threshold_builder(workbench, 3), workbench.installation)
    failure, tests = run_strategy(workbench, strategy, tests=20)
    print(tests, failure.decisions, strategy.trigger)
"""


def test_the_search_does_not_depend_on_the_hashes_of_strings():
    def run(hash_seed):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert "Trigger" in run("1")
    assert run("1") == run("2")


def test_the_ranking_learns_from_executions():
    with make_workbench() as workbench:
        strategy = pair_strategy(workbench)
        run_strategy(workbench, strategy, tests=5)
        assert sum(map(strategy.ranking.tried, strategy.ranking.pairs)) == 5
        assert sum(map(strategy.ranking.covered, strategy.ranking.pairs)) > 0
        assert MapTestRandom(strategy.builder, workbench.installation).ranking is None


def test_methods_that_use_the_locks_of_two_instances_are_called_in_opposite_orders():
    # Node has no attribute that methods write, so it has no patterns, and MAPTest would make no test of it.
    class Builder(FakeBuilder):
        def prefix(self, *, max_calls=5, preferred=()):
            other = Call(self.surface.constructors[0], result="other")
            return Prefix((*self._prefix, other), {SHARED: self._cls, "other": self._cls})

        def call(self, prefix, method, *, receiver=SHARED):
            return Call(method, (Variable(prefix.passed or "other"),), receiver=receiver)

    with make_workbench() as workbench:
        strategy = MapTest(Builder(workbench, shared_classes.Node), workbench.installation)
        proposals = [one for one in (strategy.propose() for _ in range(100)) if one is not None]
    assert proposals
    for proposal in proposals:
        [one], [other] = proposal.test.threads
        assert (one.receiver, one.arguments) == (SHARED, (Variable("other"),))
        assert (other.receiver, other.arguments) == ("other", (Variable(SHARED),))


def test_tests_about_locks_aim_at_covered_patterns_too():
    with make_workbench() as workbench:
        strategy = pair_strategy(workbench)
        test = strategy.propose().test
        strategy.goals.is_open = lambda pattern: False
        with Checker(workbench, bind(test), measuring=True) as checker:
            used = record_schedulers(checker)
            strategy._proposal(None, test).plan(checker)
        assert used.count("Eager") > 0
