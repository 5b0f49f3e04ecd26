from __future__ import annotations

import itertools

import pytest
from checking import checker, values
from shared_objects import Account, Counter, Door, GuardedRegistry, LockedCounter, Registry, Stack

from raddle.linearizability.concurrent_calls import ConcurrentCalls
from raddle.linearizability.judgment import CERTAIN, Oracle
from raddle.linearizability.legal import UnusableTestError
from raddle.outcome import OutcomeKind
from raddle.schedulers.deepening import Deepening
from raddle.schedulers.exhaustive import NotRepeatableError
from raddle.schedulers.sequential import Sequential


def test_a_lost_update_is_found_with_one_preemption():
    with checker(Counter, [Counter.increment], [Counter.increment]) as check:
        failure = check.search(preemptions=1).failure
        assert values(failure.violation.history) == ((1,), (1,))
        assert check.confirmed(failure)


def test_a_search_continues_after_unwanted_failures():
    # Both calls return 1 if the counter is read twice before it is written. No schedule shows anything else.
    with checker(Counter, [Counter.increment], [Counter.increment]) as check:
        seen = []
        check.is_wanted = lambda failure: bool(seen.append(failure))
        failure = check.search(preemptions=1).failure
        assert failure is seen[0]
        assert len(seen) > 1
        check.is_wanted = lambda failure: failure.decisions == seen[-1].decisions
        assert check.search(preemptions=1).failure.decisions == seen[-1].decisions


def test_without_preemptions_every_history_is_legal():
    with checker(Counter, [Counter.increment], [Counter.increment]) as check:
        verdict = check.search(preemptions=0)
    assert (verdict.failure, verdict.exhausted, verdict.cut) == (None, True, True)


def test_a_correct_class_has_no_violation():
    with checker(LockedCounter, [LockedCounter.increment], [LockedCounter.increment]) as check:
        verdict = check.search(preemptions=5)
    assert (verdict.failure, verdict.exhausted, verdict.cut) == (None, True, False)


def test_an_exception_that_no_order_raises_is_a_violation():
    with checker(lambda: Stack(1), [Stack.pop], [Stack.pop]) as check:
        failure = check.search().failure
    assert (failure.violation.oracle, failure.violation.exception) == (Oracle.EXCEPTIONS, "IndexError")
    assert isinstance(failure.error, IndexError)


def test_a_deadlock_that_no_order_has_is_a_violation():
    def both():
        return Account(), Account()

    threads = [lambda both: both[0].equals(both[1])], [lambda both: both[1].equals(both[0])]
    with checker(both, *threads) as check:
        violation = check.search().failure.violation
    assert (violation.oracle, violation.calls) == (Oracle.HANGS, ((0, 0), (1, 0)))


def test_a_wait_that_some_order_also_has_is_legal():
    with checker(Door, [Door.wait_until_closed], [lambda door: None]) as check:
        assert check.search(preemptions=2).failure is None


def test_a_lost_notification_is_a_violation():
    with checker(Door, [Door.wait_until_closed], [Door.close]) as check:
        violation = check.search(preemptions=2).failure.violation
    assert (violation.oracle, violation.calls) == (Oracle.HANGS, ((0, 0),))


def test_the_state_is_compared_if_it_is_observed():
    bumps = [Counter.bump], [Counter.bump]
    with checker(Counter, *bumps) as check:
        assert check.search().failure is None
    with checker(Counter, *bumps, observe=[lambda counter: counter.value]) as check:
        assert check.search().failure.violation.oracle is Oracle.STATE


def test_the_first_execution_must_be_legal():
    # The legal histories are computed in three executions: the first order twice, and then the second order.
    executions = itertools.count(1)

    def setup():
        return Stack(*range(next(executions) // 4))

    with checker(setup, [Stack.size], [Stack.size]) as check, pytest.raises(UnusableTestError) as caught:
        check.search()
    assert caught.value.slug == "not-deterministic"


@pytest.mark.parametrize(("cls", "fails"), [(Registry, True), (GuardedRegistry, False)])
def test_threads_do_not_run_code_without_probes_before_they_are_chosen(cls, fails):
    # has() has no probes, so both calls would run it before the first scheduling point, which is the acquire.
    calls = [lambda r: r.setdefault("key", 1)], [lambda r: r.setdefault("key", 2)]
    with checker(cls, *calls) as check:
        verdict = check.search()
    assert (verdict.failure is not None, verdict.exhausted) == (fails, not fails)


class Confused(Deepening):
    """Raises an exception at one of its decisions, as a search does if the calls take another course than before."""

    def __init__(self, decisions):
        super().__init__(preemptions=1)
        self.decisions = decisions

    def choose(self, enabled, current):
        if not self.decisions:
            raise NotRepeatableError("a thread is gone")
        self.decisions -= 1
        return super().choose(enabled, current)


@pytest.mark.parametrize("decisions", [0, 1])
def test_calls_that_take_another_course_than_before_cannot_be_judged(decisions):
    # The first decision is made when the calls begin, and the second one when a call reads the counter.
    with checker(Counter, [Counter.increment], [Counter.increment]) as check:
        assert check.search().failure is not None
        scheduler = Confused(decisions)
        scheduler.begin(1, check.session.known_points.version)
        with pytest.raises(UnusableTestError) as caught:
            check.run(scheduler)
        assert caught.value.slug == "not-deterministic"
        assert check.search().failure is not None  # the session can still be used


def test_a_violation_that_cannot_be_repeated_is_not_confirmed():
    calls = [Counter.increment]
    with checker(Counter, calls, [Counter.increment]) as check:
        failure = check.search().failure
        assert check.confirmed(failure)
        calls[0] = lambda counter: counter.increment() + 10  # from now on, the results are different ones
        check.harness.calls = ConcurrentCalls(Counter, [calls, [Counter.increment]])
        assert not check.confirmed(failure)


@pytest.mark.parametrize(
    ("later", "is_confirmed"),
    [
        ([0, 0, 0], True),
        ([1, 1, 1, 1, 1, 1], False),  # what was a violation is legal now
        ([2, 2, 2, 3, 3, 3], False),  # it still is a violation, but whole calls never end in the same way
        ([2, 2, 2, 2, 2, 2], True),  # whole calls end in the same way, although not in that of the first time
    ],
)
def test_the_legal_histories_are_computed_again_for_a_confirmation(later, is_confirmed):
    # Whole calls are made in three executions. Then there is an execution that fails, and its repetition.
    results = iter([0, 0, 0, 1, 1, *later])
    with checker(Counter, [lambda counter: next(results)], [Counter.bump]) as check:
        check.legal()
        scheduler = Sequential()
        scheduler.begin(1, 0)
        failure = check.run(scheduler)[1]
        assert failure.violation.oracle is Oracle.RESULTS
        assert check.confirmed(failure) is is_confirmed
    assert not list(results)


@pytest.mark.parametrize(
    ("setup", "calls", "kind"),
    [
        (lambda: Stack(1), ([Stack.pop], [Stack.pop]), OutcomeKind.EXCEPTION),
        (Counter, ([Counter.increment], [Counter.increment]), OutcomeKind.ASSERTION),
        (Door, ([Door.wait_until_closed], [Door.close]), OutcomeKind.LOST_WAKEUP),
    ],
)
def test_violations_fail_on_request(setup, calls, kind):
    with checker(setup, *calls) as check:
        failure = check.search(preemptions=2).failure
        decisions, points = failure.decisions, failure.known_points
        assert not check.session.rerun(decisions, points).outcome.failed
        with check.failing({failure.violation.oracle}):
            outcome = check.session.rerun(decisions, points).outcome
        assert outcome.kind is kind
        assert not check.session.rerun(decisions, points).outcome.failed


def test_legal_executions_pass_on_request():
    with checker(lambda: Stack(1), [Stack.pop], [Stack.pop]) as check:
        check.legal()
        scheduler = Sequential()
        scheduler.begin(1, 0)
        with check.failing(check.oracles):
            assert not check.session.run_for(scheduler).outcome.failed


def test_the_same_search_gives_the_same_failure():
    found = []
    for _ in range(2):
        with checker(lambda: Stack(1), [Stack.pop], [Stack.pop]) as check:
            found.append(check.search().failure.decisions)
    assert found[0] == found[1]


def test_a_search_ends_after_the_execution_that_reaches_the_limit_on_steps():
    with checker(LockedCounter, [LockedCounter.increment], [LockedCounter.increment]) as check:
        verdict = check.search(preemptions=5, max_steps=1)
    assert (verdict.failure, verdict.executions, verdict.exhausted) == (None, 1, False)


def test_whole_calls_are_made_only_if_an_execution_may_be_illegal():
    with checker(Counter, [Counter.increment], [Counter.increment], oracles=CERTAIN) as check:
        verdict = check.search(preemptions=1)
        assert verdict.failure is None  # the lost update raises no exception
        assert check.executions == verdict.executions


def test_whole_calls_that_are_made_late_do_not_replace_the_exception():
    # One element, and two threads that pop: the stack is empty for one of them if it checked the size before. Orders of
    # whole calls raise LookupError instead, and are made after the execution that raises the IndexError.
    with checker(lambda: Stack(1), [Stack.pop], [Stack.pop], oracles=CERTAIN) as check:
        failure = check.search().failure
        assert isinstance(failure.error, IndexError)
        assert check.harness.history() == failure.violation.history
        assert check.confirmed(failure)
