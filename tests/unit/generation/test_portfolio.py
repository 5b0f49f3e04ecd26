import pytest
import shared_classes
from fake_builder import FakeBuilder, make_workbench

from raddle.generation.binding import bind
from raddle.generation.expressions import Imported, Literal, New
from raddle.generation.portfolio import Portfolio
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import Call
from raddle.linearizability.checker import Checker


class Builder(FakeBuilder):
    """A builder whose calls can have receivers."""

    def call(self, prefix, method, *, receiver="shared"):
        return super().call(prefix, method) if method.kind is not MethodKind.CONSTRUCTOR else None


def proposals(strategy, count, *, learn=lambda proposal: None):
    """Return the proposals that are not None, of this many."""
    found = []
    for _ in range(count):
        proposal = strategy.propose()
        if proposal is not None:
            found.append(proposal)
            learn(proposal)
    return found


def test_the_same_test_is_proposed_once_before_a_restart():
    # Locked has two methods without parameters, so there are few tests of one call in each thread.
    with make_workbench() as workbench:
        strategy = Portfolio(Builder(workbench, shared_classes.Locked))
        tests = [proposal.test for proposal in proposals(strategy, 200)]
        assert tests
        assert len({(test.prefix, frozenset(test.threads)) for test in tests}) == len(tests)
        strategy.restart()
        again = [proposal.test for proposal in proposals(strategy, 200)]
        assert {test.threads for test in again} & {test.threads for test in tests}


def test_a_call_is_observed_once_for_each_prefix():
    with make_workbench() as workbench:
        builder = Builder(workbench, shared_classes.Threshold, {"is_as_severe_as_threshold": [(Literal(1),)]})
        observed = []
        observe = builder.observe

        def recorded(prefix, calls):
            observed.append((prefix.calls, tuple(calls)))
            return observe(prefix, calls)

        builder.observe = recorded
        proposals(Portfolio(builder), 200)
        assert observed
        assert len(set(observed)) == len(observed)


def test_calls_that_can_interrupt_each_other_are_tested():
    # is_as_severe_as_threshold reads th twice, and set_threshold writes it.
    owner = Imported("shared_classes", "Threshold")
    priority = New(Imported("shared_classes", "Priority"), (Literal(1),))
    prefix = (Call(Method("set_threshold", MethodKind.METHOD, owner), (priority,)),)
    calls = {"is_as_severe_as_threshold": [(priority,)], "set_threshold": [(Literal(None),)]}
    with make_workbench() as workbench:
        strategy = Portfolio(Builder(workbench, shared_classes.Threshold, calls, prefix=prefix))
        pairs = [{call.method.name for thread in one.test.threads for call in thread} for one in proposals(strategy, 9)]
    assert {"is_as_severe_as_threshold", "set_threshold"} in pairs


@pytest.mark.parametrize("passes", [True, False])
def test_only_tests_that_pass_get_a_second_pass_with_two_preemptions(passes):
    with make_workbench() as workbench:
        strategy = Portfolio(Builder(workbench, shared_classes.Locked))
        first = proposals(strategy, 1)[0]
        assert first.plan.preemptions == 1
        with Checker(workbench, bind(first.test)) as checker:
            assert first.plan(checker) is None
        assert first.plan.exhausted
        strategy.learn(first, None if passes else object())
        later = [one.test for one in proposals(strategy, 300) if one.plan.preemptions == 2]
    assert later == ([first.test] if passes else [])
