"""Locks: what CPython's own tests leave out."""

from __future__ import annotations

import copy
import pickle
import threading
import time

import pytest
from controlled import controlled, controlled_often, outcome_of, said

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
    "timeout is no number": lambda lock: lock.acquire(timeout="soon"),
    "timeout is None": lambda lock: lock.acquire(timeout=None),
    "timeout is NaN": lambda lock: lock.acquire(timeout=float("nan")),
    "keyword": lambda lock: lock.acquire(blocking=True),
    "with": lambda lock: lock.__enter__(),
    "exit": lambda lock: lock.__exit__(None, None, None),
    "copy": copy.copy,
    "pickle": pickle.dumps,
    "saved": lambda lock: lock._release_save(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("make", ["Lock", "RLock"])
def test_says_what_the_real_one_says(make, call):
    def try_it():
        return said(lambda: call(getattr(threading, make)()))

    if make == "Lock" and call is CALLS["saved"]:
        assert not controlled(lambda: hasattr(threading.Lock(), "_release_save"))
    else:
        assert controlled(try_it) == try_it()


@pytest.mark.parametrize("make", ["Lock", "RLock"])
def test_repr_is_the_real_ones(make):
    def texts():
        lock = getattr(threading, make)()
        free = repr(lock)
        with lock:
            taken = repr(lock).replace(str(threading.get_ident()), "ME")
        return [text.rsplit(" at ", 1)[0] for text in (free, taken, repr(lock))]

    assert controlled(texts) == texts()


def test_acquired_by_the_first_who_comes_after_a_virtual_hour():
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
    assert time.perf_counter() - wall < 5400  # it did not wait for real


def test_reentrant_lock_counts():
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
        return said(lock.release)

    assert controlled(scenario) == ("RuntimeError", "cannot release un-acquired lock")


def test_a_lock_may_be_released_by_another_thread_and_a_reentrant_one_may_not():
    def scenario(make):
        lock = make()
        lock.acquire()
        heard = []
        thread = threading.Thread(target=lambda: heard.append(said(lock.release)))
        thread.start()
        thread.join()
        return heard[0]

    assert controlled(lambda: scenario(threading.Lock)) == ("returned", "None")
    refused = controlled(lambda: scenario(threading.RLock))
    assert refused == ("RuntimeError", "cannot release un-acquired lock") == scenario(threading.RLock)


def test_exclusion_holds_in_every_schedule_and_both_orders_are_seen():
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

    assert set(controlled_often(scenario)) == {"ab", "ba"}


def test_a_thread_that_ends_with_a_lock_leaves_it_taken():
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


def test_waiting_for_oneself_is_a_deadlock():
    def scenario():
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()

    outcome = outcome_of(scenario)
    assert (outcome.kind, outcome.message) == ("deadlock", "T0 waits for itself")


@pytest.mark.parametrize("make", ["Lock", "RLock"])
def test_one_that_escaped_works_with_real_threads(make):
    escaped = []

    def scenario():
        escaped.append(getattr(threading, make)())
        escaped[-1].acquire()  # and never released: the execution that held it is over

    controlled(scenario)
    (lock,) = escaped
    assert repr(lock).startswith("<unlocked")
    total = 0
    with lock:
        heard = []
        thread = threading.Thread(target=lambda: heard.append(lock.acquire(blocking=False)))
        thread.start()
        thread.join()
        assert heard == [False]

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
    assert controlled(lambda: lock.acquire(blocking=False)) is True  # and free again in the next execution


def test_a_real_lock_is_made_outside():
    kinds = type(threading.Lock()), type(threading.RLock())
    controlled(lambda: None)
    assert (type(threading.Lock()), type(threading.RLock())) == kinds
