"""Behavior of the semaphore twins that CPython's own tests do not cover."""

from __future__ import annotations

import threading
import time

import pytest
from controlled import controlled, controlled_with_seeds, outcome_of, result_of

CALLS = {
    "negative value": lambda make: make(-1),
    "no blocking, with a timeout": lambda make: make().acquire(False, timeout=1),
    "no blocking": lambda make: (lambda s: (s.acquire(False), s.acquire(False)))(make()),
    "timeout of 0": lambda make: make(0).acquire(timeout=0),
    "negative timeout": lambda make: make(0).acquire(timeout=-3),
    "release 0": lambda make: make().release(0),
    "release -1": lambda make: make().release(-1),
    "release too many": lambda make: make(2).release(),
    "release several": lambda make: make(2).release(n=2),
    "exit": lambda make: make().__exit__(None, None, None),
    "enter": lambda make: make().__enter__(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("make", [threading.Semaphore, threading.BoundedSemaphore])
def test_calls_have_the_same_results_as_on_a_real_semaphore(make, call):
    assert controlled(lambda: result_of(lambda: call(make))) == result_of(lambda: call(make))


def test_at_most_the_initial_number_of_threads_is_inside():
    def scenario():
        semaphore, inside, counts = threading.Semaphore(2), [], []

        def work():
            with semaphore:
                inside.append(1)
                counts.append(len(inside))
                time.sleep(1)
                inside.pop()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return max(counts)

    assert set(controlled_with_seeds(scenario)) == {2}


def test_timeouts_are_virtual():
    def scenario():
        semaphore = threading.Semaphore(0)
        start = time.monotonic()
        assert semaphore.acquire(timeout=3600) is False
        threading.Timer(100, semaphore.release, args=(2,)).start()
        assert semaphore.acquire(timeout=3600) is True
        assert semaphore.acquire() is True
        return time.monotonic() - start

    assert 3700 <= controlled(scenario) < 3701


def test_acquiring_a_permit_that_is_never_released_is_a_deadlock():
    outcome = outcome_of(lambda: threading.BoundedSemaphore(1).acquire() and threading.Semaphore(0).acquire())
    assert outcome.kind == "deadlock"
    assert " for a permit of Semaphore" in outcome.details[0]


def test_a_semaphore_created_earlier_works_inside_and_outside_executions():
    early = threading.BoundedSemaphore(1)

    def scenario():
        thread = threading.Thread(target=lambda: early.acquire() and early.release())
        thread.start()
        with early:
            assert not early.acquire(blocking=False)
        thread.join()

    controlled_with_seeds(scenario)
    assert early._value == 1
    assert early.acquire(timeout=60)
    early.release()
    with pytest.raises(ValueError, match="Semaphore released too many times"):
        early.release()
