"""Behavior of the barrier twins that CPython's own tests do not cover."""

from __future__ import annotations

import threading
import time

import pytest
from controlled import controlled, controlled_with_seeds, outcome_of, result_of

CALLS = {
    "one party": lambda: threading.Barrier(1).wait(),
    "broken": lambda: (lambda b: (b.abort(), b.wait()))(threading.Barrier(1)),
    "reset after abort": lambda: (lambda b: (b.abort(), b.reset(), b.wait(), b.broken))(threading.Barrier(1)),
    "timeout": lambda: threading.Barrier(2).wait(0.001),
    "default timeout": lambda: threading.Barrier(2, timeout=0.001).wait(),
    "failing action": lambda: threading.Barrier(1, action=lambda: 1 // 0).wait(),
    "counts": lambda: (lambda b: (b.parties, b.n_waiting, b.broken))(threading.Barrier(3)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_calls_have_the_same_results_as_on_a_real_barrier(call):
    assert controlled(lambda: result_of(call)) == result_of(call)


def _wait(barrier, results, timeout=None):
    try:
        results.append(barrier.wait(timeout))
    except threading.BrokenBarrierError:
        results.append("broken")


def _start(count, *args):
    threads = [threading.Thread(target=_wait, args=args) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def _join(threads):
    for thread in threads:
        thread.join()


def test_each_thread_gets_its_own_number_and_the_action_runs_once():
    def scenario():
        acted, results = [], []
        barrier = threading.Barrier(3, action=lambda: acted.append(barrier.n_waiting))
        _join(_start(3, barrier, results))
        assert len(acted) == 1
        return sorted(results)

    assert all(results == [0, 1, 2] for results in controlled_with_seeds(scenario))


def test_a_virtual_timeout_breaks_the_barrier_for_all_threads():
    def scenario():
        results, start = [], time.monotonic()
        barrier = threading.Barrier(3)
        _join(_start(2, barrier, results, 3600))
        assert results == ["broken"] * 2
        assert barrier.broken
        assert 3600 <= time.monotonic() - start < 3601

    controlled_with_seeds(scenario)


@pytest.mark.parametrize(("end", "broken"), [("abort", True), ("reset", False)])
def test_abort_and_reset_release_waiting_threads(end, broken):
    def scenario():
        results, barrier = [], threading.Barrier(3)
        threads = _start(2, barrier, results)
        time.sleep(1)
        assert barrier.n_waiting == 2
        getattr(barrier, end)()
        _join(threads)
        assert results == ["broken"] * 2
        assert barrier.n_waiting == 0
        return barrier.broken

    assert all(found is broken for found in controlled_with_seeds(scenario))


def test_a_failing_action_breaks_the_barrier_for_the_other_threads():
    def scenario():
        results = []
        barrier = threading.Barrier(2, action=lambda: 1 // 0)
        threads = _start(1, barrier, results)
        time.sleep(1)
        with pytest.raises(ZeroDivisionError):
            barrier.wait()
        _join(threads)
        assert results == ["broken"]

    controlled_with_seeds(scenario, seeds=range(5))


def test_a_missing_party_is_a_deadlock():
    def scenario():
        barrier = threading.Barrier(3)
        threads = _start(2, barrier, [])
        _join(threads)

    assert outcome_of(scenario).kind == "deadlock"


def test_a_barrier_created_earlier_works_inside_and_outside_executions():
    barrier = threading.Barrier(2)

    def wait_in_two_threads():
        results = []
        _join(_start(2, barrier, results))
        return sorted(results)

    assert wait_in_two_threads() == [0, 1]
    assert all(results == [0, 1] for results in controlled_with_seeds(wait_in_two_threads))
    assert wait_in_two_threads() == [0, 1]
