"""Time is virtual in controlled executions and real elsewhere."""

from __future__ import annotations

import threading
import time

import pytest
from controlled import controlled, result_of

CALLS = {
    "negative": lambda: time.sleep(-1),
    "NaN": lambda: time.sleep(float("nan")),
    "too long": lambda: time.sleep(1e100),
    "zero": lambda: time.sleep(0),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_sleep_has_the_same_results_as_the_real_one(call):
    assert controlled(lambda: result_of(call)) == result_of(call)


@pytest.mark.parametrize("clock", ["time", "monotonic", "perf_counter", "time_ns", "monotonic_ns", "perf_counter_ns"])
def test_every_clock_advances_by_the_time_slept(clock):
    second = 10**9 if clock.endswith("_ns") else 1

    def scenario():
        start = getattr(time, clock)()
        assert getattr(time, clock)() > start
        time.sleep(86_400)
        return getattr(time, clock)() - start, type(start)

    elapsed, kind = controlled(scenario)
    assert 86_400 * second <= elapsed < 86_401 * second
    assert kind is type(getattr(time, clock)())


def test_the_clock_starts_at_the_same_time_in_each_execution():
    first, second = (controlled(lambda: time.time()) for _ in range(2))
    assert first == second == pytest.approx(1_700_000_000)


def test_sleeping_threads_wake_in_the_order_of_their_deadlines():
    def scenario():
        order = []

        def sleep(seconds):
            time.sleep(seconds)
            order.append(seconds)

        threads = [threading.Thread(target=sleep, args=(seconds,)) for seconds in (30, 10, 20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return order

    for seed in (None, *range(5)):
        assert controlled(scenario, seed=seed) == [10, 20, 30]


def test_a_loop_that_polls_the_clock_ends():
    def scenario():
        end = time.monotonic() + 3600
        while time.monotonic() < end:
            pass

    controlled(scenario)


def test_time_is_real_again_after_an_execution():
    before = time.time(), time.monotonic()
    controlled(lambda: time.sleep(86_400))
    assert 0 <= time.time() - before[0] < 3600
    assert 0 <= time.monotonic() - before[1] < 3600
    assert time.sleep.__module__ == "time"
