"""Events: what CPython's own tests leave out."""

from __future__ import annotations

import threading
import time

from controlled import controlled, controlled_often, outcome_of, said


def test_a_wait_of_an_hour_takes_no_time():
    def scenario():
        event = threading.Event()
        start = time.monotonic()
        assert event.wait(timeout=3600) is False
        assert 3600 <= time.monotonic() - start < 3601
        assert event.wait(timeout=0) is False
        assert event.wait(timeout=-1) is False
        event.set()
        assert event.wait(timeout=3600) is True
        assert event.wait() is True
        return time.monotonic() - start

    wall = time.perf_counter()
    assert controlled(scenario) < 3601
    assert time.perf_counter() - wall < 3600  # it did not wait for real


def test_a_timeout_of_nan_is_treated_as_by_the_real_one():
    def waited():
        return said(lambda: threading.Event().wait(float("nan")))

    assert controlled(waited) == waited()


def test_whoever_waits_when_it_is_set_is_woken_even_if_it_is_cleared_at_once():
    def scenario():
        event, woken = threading.Event(), []
        threads = [threading.Thread(target=lambda: woken.append(event.wait(10))) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        event.set()
        event.clear()
        for thread in threads:
            thread.join()
        assert not event.is_set()
        return woken

    assert all(woken == [True] * 3 for woken in controlled_often(scenario))


def test_whoever_comes_after_the_clearing_is_not_woken():
    def scenario():
        event, woken = threading.Event(), []
        thread = threading.Thread(target=lambda: woken.append(event.wait(10)))
        thread.start()
        event.set()
        event.clear()
        thread.join()
        return woken[0]

    assert set(controlled_often(scenario)) == {True, False}


def test_never_set_is_a_deadlock():
    outcome = outcome_of(lambda: threading.Event().wait())
    assert outcome.kind == "deadlock"
    assert "waits on Event" in outcome.details[0]


def test_set_under_control_reaches_a_real_thread_that_waits():
    event, woken = threading.Event(), []
    thread = threading.Thread(target=lambda: woken.append(event.wait(60)))
    thread.start()
    while not event._cond._waiters:
        pass
    controlled(event.set)
    thread.join(60)
    assert woken == [True]
    assert event.is_set()


def test_one_made_earlier_and_one_that_escaped():
    early, escaped = threading.Event(), []

    def scenario():
        early.clear()
        escaped.append(threading.Event())
        thread = threading.Thread(target=lambda: (early.wait(), escaped[-1].set()))
        thread.start()
        early.set()
        assert escaped[-1].wait(5)
        thread.join()

    controlled_often(scenario)
    assert early.is_set()
    event = escaped[-1]
    assert event.is_set()
    event.clear()
    thread = threading.Thread(target=event.set)
    thread.start()
    assert event.wait(60)
    thread.join()
