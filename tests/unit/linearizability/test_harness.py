from __future__ import annotations

import pytest
from checking import checker, values
from shared_objects import Stack

import raddle
from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.instrument import Selection
from raddle.linearizability.arguments import concurrent_calls
from raddle.linearizability.checker import Checker
from raddle.linearizability.concurrent_calls import ConcurrentCalls
from raddle.linearizability.harness import Harness
from raddle.linearizability.history import NOT_MADE, Ending, EndingKind

RETURNED = EndingKind.RETURNED


def run(*threads, setup=lambda: Stack(1), observe=(), invariants=()):
    """Run the calls in native threads; return the harness. Each test makes calls whose order does not matter."""
    harness = Harness(ConcurrentCalls(setup, threads, observe, invariants))
    harness()
    return harness


def test_a_history_has_the_endings_of_all_calls():
    harness = run([Stack.size, lambda s: {}["a"], Stack.size])
    assert harness.history().threads == (
        (Ending(RETURNED, 1), Ending(EndingKind.RAISED, "KeyError"), NOT_MADE),
    )  # fmt: skip
    assert isinstance(harness.error, KeyError)
    assert harness.complete


def test_any_exception_ends_the_calls_of_its_thread_only():
    def leave(stack):
        raise SystemExit(3)

    harness = run([leave, Stack.size], [Stack.size])
    assert values(harness.history()) == (("SystemExit", "not made"), (1,))


def test_observers_run_after_the_threads():
    harness = run([lambda s: s.push(2)], [lambda s: s.push(2)], observe=[Stack.size, lambda s: s.missing])
    assert harness.history().observed == (Ending(RETURNED, 3), Ending(EndingKind.RAISED, "AttributeError"))


@pytest.mark.parametrize(
    ("invariant", "broken"),
    [(lambda s: True, ()), (lambda s: None, ()), (lambda s: False, (0,)), (lambda s: 0, (0,)), (lambda s: 1 / 0, (0,))],
)
def test_an_invariant_fails_by_a_false_value_or_an_exception(invariant, broken):
    assert run([Stack.size], invariants=[invariant]).history().broken == broken


def test_a_setup_that_raises_is_remembered():
    harness = run([Stack.size], setup=lambda: 1 / 0)
    assert isinstance(harness.setup_error, ZeroDivisionError)
    assert not harness.complete


def test_a_generator_makes_several_whole_calls():
    def push_twice(stack):
        stack.push(1)
        yield
        stack.push(2)
        return stack.size()

    # size() comes before, between or after the calls of push(). No other call runs while push() runs.
    assert raddle.linearizable(Stack, [push_twice], [Stack.size], source=["shared_objects"]).stopped_because
    calls = concurrent_calls(Stack, [[push_twice], [Stack.size]], [], None)
    with Workbench(Threads(Selection(sources=("shared_objects",)))) as workbench, Checker(workbench, calls) as check:
        assert {values(history) for history in check.legal().histories} == {((2,), (0,)), ((2,), (1,)), ((2,), (2,))}


def test_a_result_that_is_the_shared_object_is_recognized():
    one, other = (run([lambda s: s], [lambda s: Stack()]).history() for _ in range(2))
    assert one == other
    assert one.threads[0] != one.threads[1]


def test_threads_that_are_blocked_leave_their_calls_pending():
    def block(stack):
        with stack.lock:
            stack.lock.acquire()

    def setup():
        import threading

        stack = Stack()
        stack.lock = threading.Lock()
        return stack

    with checker(setup, [block, Stack.size], [Stack.size]) as check:
        (history,) = check.legal().histories
    assert values(history) == (("pending", "not made"), (0,))
