"""With zero or negative timeouts, every twin behaves like the primitive that it replaces."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future, as_completed, wait

import pytest
from controlled import controlled, result_of

TIMEOUTS = [0, 0.0, -0.0, -1, -2, -0.5]


def _held(make):
    lock = make()
    lock.acquire()
    return lock


def _barrier(timeout):
    return threading.Barrier(2).wait(timeout)


def _condition(timeout):
    with (condition := threading.Condition()):
        return condition.wait(timeout), condition.wait_for(lambda: False, timeout)


def _join_ended_thread(timeout):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return thread.join(timeout)


def _full(make):
    items = make(1)
    items.put(0)
    return items


CALLS = {
    **{
        f"{kind.__name__}.get": lambda timeout, kind=kind: kind().get(timeout=timeout)
        for kind in (queue.Queue, queue.LifoQueue, queue.PriorityQueue, queue.SimpleQueue)
    },
    **{
        f"{kind.__name__}.put": lambda timeout, kind=kind: _full(kind).put(1, timeout=timeout)
        for kind in (queue.Queue, queue.LifoQueue, queue.PriorityQueue)
    },
    "SimpleQueue.put": lambda timeout: queue.SimpleQueue().put(1, timeout=timeout),
    "free Lock": lambda timeout: threading.Lock().acquire(timeout=timeout),
    # -1 means no timeout: acquiring a held plain lock would block forever.
    "held Lock": lambda timeout: timeout == -1 or _held(threading.Lock).acquire(timeout=timeout),
    "free RLock": lambda timeout: threading.RLock().acquire(timeout=timeout),
    "held RLock": lambda timeout: _held(threading.RLock).acquire(timeout=timeout),
    "Lock without blocking": lambda timeout: threading.Lock().acquire(False, timeout),
    "Semaphore": lambda timeout: threading.Semaphore().acquire(timeout=timeout),
    "Semaphore at 0": lambda timeout: threading.Semaphore(0).acquire(timeout=timeout),
    "Semaphore without blocking": lambda timeout: threading.Semaphore().acquire(False, timeout),
    "Condition": _condition,
    "Event": lambda timeout: threading.Event().wait(timeout),
    "Barrier": _barrier,
    "Thread.join": _join_ended_thread,
    "Future.result": lambda timeout: Future().result(timeout),
    "Future.exception": lambda timeout: Future().exception(timeout),
    "wait": lambda timeout: [len(part) for part in wait([Future()], timeout)],
    "as_completed": lambda timeout: list(as_completed([Future()], timeout)),
}


@pytest.mark.parametrize("timeout", TIMEOUTS)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_timeout_of_zero_or_less_has_the_same_result_as_on_the_real_primitive(call, timeout):
    assert controlled(lambda: result_of(lambda: call(timeout))) == result_of(lambda: call(timeout))
