"""Behavior of the lock twins that CPython's own tests do not cover."""

from __future__ import annotations

import copy
import pickle
import threading
import time

import pytest
from controlled import controlled, controlled_with_seeds, outcome_of, result_of

CALLS = {
    "release": lambda lock: lock.release(),
    "acquire": lambda lock: lock.acquire(),
    "acquire twice, the second time without blocking": lambda lock: (lock.acquire(), lock.acquire(False)),
    "no blocking, with a timeout": lambda lock: lock.acquire(False, 1),
    "negative timeout": lambda lock: lock.acquire(timeout=-2),
    "negative fraction": lambda lock: lock.acquire(timeout=-0.5),
    "timeout of -1": lambda lock: lock.acquire(True, -1),
    "no blocking, timeout of -1": lambda lock: lock.acquire(False, -1),
    "endless timeout": lambda lock: lock.acquire(timeout=1e100),
    "timeout is not a number": lambda lock: lock.acquire(timeout="soon"),
    "timeout is None": lambda lock: lock.acquire(timeout=None),
    "timeout is NaN": lambda lock: lock.acquire(timeout=float("nan")),
    "keyword": lambda lock: lock.acquire(blocking=True),
    "with": lambda lock: lock.__enter__(),
    "exit": lambda lock: lock.__exit__(None, None, None),
    "copy": copy.copy,
    "pickle": pickle.dumps,
    "_release_save": lambda lock: lock._release_save(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("make", ["Lock", "RLock"])
def test_calls_have_the_same_results_as_on_a_real_lock(make, call):
    def call_on_new_lock():
        return result_of(lambda: call(getattr(threading, make)()))

    if make == "Lock" and call is CALLS["_release_save"]:
        assert not controlled(lambda: hasattr(threading.Lock(), "_release_save"))
    else:
        assert controlled(call_on_new_lock) == call_on_new_lock()


@pytest.mark.parametrize("make", ["Lock", "RLock"])
def test_repr_is_that_of_a_real_lock(make):
    def texts():
        lock = getattr(threading, make)()
        free = repr(lock)
        with lock:
            taken = repr(lock).replace(str(threading.get_ident()), "ME")
        return [text.rsplit(" at ", 1)[0] for text in (free, taken, repr(lock))]

    assert controlled(texts) == texts()


def test_acquire_with_a_timeout_waits_in_virtual_time():
    def scenario():
        lock = threading.Lock()
        lock.acquire()
        start = time.monotonic()
        assert lock.acquire(timeout=3600) is False
        assert 3600 <= time.monotonic() - start < 3601
        threading.Timer(1800, lock.release).start()
        assert lock.acquire(timeout=3600) is True
        assert 5400 <= time.monotonic() - start < 5401

    wall = time.perf_counter()
    controlled(scenario)
    assert time.perf_counter() - wall < 5400  # the execution did not wait in real time


def test_a_reentrant_lock_counts_its_acquisitions():
    def scenario():
        lock = threading.RLock()
        others = []

        def other():
            others.append(lock.acquire(blocking=False))
            others.append(lock._is_owned())

        for depth in (1, 2, 3):
            assert lock.acquire()
            assert repr(lock).split(" at ")[0].endswith(f"count={depth}")
        lock.release()
        lock.release()
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert others == [False, False]
        lock.release()
        assert not lock._is_owned()
        return result_of(lock.release)

    assert controlled(scenario) == ("RuntimeError", "cannot release un-acquired lock")


def test_another_thread_can_release_a_lock_but_not_a_reentrant_lock():
    def scenario(make):
        lock = make()
        lock.acquire()
        results = []
        thread = threading.Thread(target=lambda: results.append(result_of(lock.release)))
        thread.start()
        thread.join()
        return results[0]

    assert controlled(lambda: scenario(threading.Lock)) == ("returned", "None")
    refused = controlled(lambda: scenario(threading.RLock))
    assert refused == ("RuntimeError", "cannot release un-acquired lock") == scenario(threading.RLock)


def test_threads_exclude_each_other_in_every_schedule_and_both_orders_occur():
    def scenario():
        lock, order, inside = threading.Lock(), [], []

        def work(name):
            with lock:
                inside.append(name)
                assert len(inside) == 1
                time.sleep(0)
                inside.pop()
                order.append(name)

        threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return "".join(order)

    assert set(controlled_with_seeds(scenario)) == {"ab", "ba"}


def test_a_lock_stays_held_after_its_owner_ends():
    def scenario():
        lock = threading.Lock()
        thread = threading.Thread(target=lock.acquire)
        thread.start()
        thread.join()
        assert lock.locked()
        lock.acquire()

    outcome = outcome_of(scenario)
    assert outcome.kind == "deadlock"
    assert "T0" in outcome.details[0]


def test_acquiring_a_lock_twice_in_one_thread_is_a_deadlock():
    def scenario():
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()

    outcome = outcome_of(scenario)
    assert (outcome.kind, outcome.message) == ("deadlock", "T0 waits for itself")


@pytest.mark.parametrize("make", ["Lock", "RLock"])
def test_a_lock_from_an_ended_execution_works_with_real_threads(make):
    escaped = []

    def scenario():
        escaped.append(getattr(threading, make)())
        escaped[-1].acquire()  # the execution ends without releasing the lock

    controlled(scenario)
    (lock,) = escaped
    assert repr(lock).startswith("<unlocked")
    total = 0
    with lock:
        results = []
        thread = threading.Thread(target=lambda: results.append(lock.acquire(blocking=False)))
        thread.start()
        thread.join()
        assert results == [False]

    def add():
        nonlocal total
        for _ in range(500):
            with lock:
                total += 1

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total == 2000
    assert controlled(lambda: lock.acquire(blocking=False)) is True  # the lock is free in the next execution


def test_locks_created_after_an_execution_are_real():
    kinds = type(threading.Lock()), type(threading.RLock())
    controlled(lambda: None)
    assert (type(threading.Lock()), type(threading.RLock())) == kinds
