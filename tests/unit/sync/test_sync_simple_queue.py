"""Behavior of the `queue.SimpleQueue` twin that CPython's own tests do not cover."""

from __future__ import annotations

import copy
import queue
import threading
import time
from types import GenericAlias

import pytest
from controlled import controlled, controlled_with_seeds, outcome_of, result_of

CALLS = {
    "get without blocking": lambda q: q.get(False),
    "get_nowait": lambda q: q.get_nowait(),
    "get with timeout 0": lambda q: q.get(timeout=0),
    "get with negative timeout": lambda q: q.get(timeout=-1),
    "get with huge timeout": lambda q: q.get(timeout=1e100),
    "get with a string as timeout": lambda q: q.get(timeout="soon"),
    "put and get": lambda q: (q.put(1), q.put(2, False), q.put_nowait(3), q.get(), q.get(True), q.get(timeout=1)),
    "sizes": lambda q: (q.empty(), q.put(1), q.qsize(), q.empty()),
    "copy": copy.copy,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_calls_have_the_same_results_as_on_a_real_simple_queue(call):
    assert controlled(lambda: result_of(lambda: call(queue.SimpleQueue()))) == result_of(
        lambda: call(queue.SimpleQueue())
    )


def test_the_class_can_be_subscripted():
    assert isinstance(controlled(lambda: queue.SimpleQueue[int]), GenericAlias)


def test_timeouts_are_virtual():
    def scenario():
        q, start = queue.SimpleQueue(), time.monotonic()
        with pytest.raises(queue.Empty):
            q.get(timeout=3600)
        threading.Timer(100, q.put, args=("late",)).start()
        assert q.get(timeout=3600) == "late"
        return time.monotonic() - start

    assert 3700 <= controlled(scenario) < 3701


def test_each_item_goes_to_one_thread():
    def scenario():
        q, got = queue.SimpleQueue(), []
        threads = [threading.Thread(target=lambda: got.append(q.get())) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(3):
            q.put(number)
        for thread in threads:
            thread.join()
        assert q.empty()
        return sorted(got)

    assert all(got == [0, 1, 2] for got in controlled_with_seeds(scenario))


def test_get_from_a_queue_without_a_producer_is_a_deadlock():
    outcome = outcome_of(lambda: queue.SimpleQueue().get())
    assert outcome.kind == "deadlock"
    assert " for an item from SimpleQueue" in outcome.details[0]


def test_a_queue_from_an_ended_execution_works_with_real_threads():
    escaped = []

    def scenario():
        escaped.append(queue.SimpleQueue())
        escaped[0].put("from inside")

    controlled(scenario)
    (q,) = escaped
    assert q.get(timeout=60) == "from inside"
    thread = threading.Thread(target=q.put, args=("from outside",))
    thread.start()
    assert q.get(timeout=60) == "from outside"
    thread.join()
