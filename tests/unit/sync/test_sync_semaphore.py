"""Semaphores: what CPython's own tests leave out."""

from __future__ import annotations

import threading
import time

import pytest
from controlled import controlled, controlled_often, outcome_of, said

CALLS = {
    "negative value": lambda make: make(-1),
    "no blocking, with a timeout": lambda make: make().acquire(False, timeout=1),
    "no blocking": lambda make: (lambda s: (s.acquire(False), s.acquire(False)))(make()),
    "timeout of 0": lambda make: make(0).acquire(timeout=0),
    "negative timeout": lambda make: make(0).acquire(timeout=-3),
    "release nothing": lambda make: make().release(0),
    "release less than nothing": lambda make: make().release(-1),
    "release too much": lambda make: make(2).release(),
    "release several": lambda make: make(2).release(n=2),
    "exit": lambda make: make().__exit__(None, None, None),
    "enter": lambda make: make().__enter__(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("make", [threading.Semaphore, threading.BoundedSemaphore])
def test_says_what_the_real_one_says(make, call):
    assert controlled(lambda: said(lambda: call(make))) == said(lambda: call(make))


def test_lets_so_many_in_and_no_more():
    def scenario():
        semaphore, inside, most = threading.Semaphore(2), [], []

        def work():
            with semaphore:
                inside.append(1)
                most.append(len(inside))
                time.sleep(1)
                inside.pop()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return max(most)

    assert set(controlled_often(scenario)) == {2}


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


def test_a_permit_never_given_back_is_a_deadlock():
    outcome = outcome_of(lambda: threading.BoundedSemaphore(1).acquire() and threading.Semaphore(0).acquire())
    assert outcome.kind == "deadlock"
    assert "waits for a permit of Semaphore" in outcome.details[0]


def test_one_made_earlier_works_inside_and_outside():
    early = threading.BoundedSemaphore(1)

    def scenario():
        thread = threading.Thread(target=lambda: early.acquire() and early.release())
        thread.start()
        with early:
            assert not early.acquire(blocking=False)
        thread.join()

    controlled_often(scenario)
    assert early._value == 1
    assert early.acquire(timeout=60)
    early.release()
    with pytest.raises(ValueError, match="Semaphore released too many times"):
        early.release()
