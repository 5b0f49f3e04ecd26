"""Behavior of the event twins that CPython's own tests do not cover."""

from __future__ import annotations

import threading
import time

from controlled import controlled, controlled_with_seeds, outcome_of, result_of


def test_a_wait_of_an_hour_takes_no_real_time():
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
    assert time.perf_counter() - wall < 3600  # the execution did not wait in real time


def test_a_timeout_of_nan_has_the_same_result_as_on_a_real_event():
    def wait_for_nan():
        return result_of(lambda: threading.Event().wait(float("nan")))

    assert controlled(wait_for_nan) == wait_for_nan()


def test_set_wakes_all_waiters_even_if_clear_follows_at_once():
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

    assert all(woken == [True] * 3 for woken in controlled_with_seeds(scenario))


def test_a_thread_that_waits_only_after_clear_times_out():
    def scenario():
        event, woken = threading.Event(), []
        thread = threading.Thread(target=lambda: woken.append(event.wait(10)))
        thread.start()
        event.set()
        event.clear()
        thread.join()
        return woken[0]

    assert set(controlled_with_seeds(scenario)) == {True, False}


def test_waiting_for_an_event_that_is_never_set_is_a_deadlock():
    outcome = outcome_of(lambda: threading.Event().wait())
    assert outcome.kind == "deadlock"
    assert " for Event" in outcome.details[0]


def test_set_in_an_execution_wakes_a_waiting_real_thread():
    event, woken = threading.Event(), []
    thread = threading.Thread(target=lambda: woken.append(event.wait(60)))
    thread.start()
    while not event._cond._waiters:
        pass
    controlled(event.set)
    thread.join(60)
    assert woken == [True]
    assert event.is_set()


def test_events_created_before_and_in_executions_work_in_both():
    early, escaped = threading.Event(), []

    def scenario():
        early.clear()
        escaped.append(threading.Event())
        thread = threading.Thread(target=lambda: (early.wait(), escaped[-1].set()))
        thread.start()
        early.set()
        assert escaped[-1].wait(5)
        thread.join()

    controlled_with_seeds(scenario)
    assert early.is_set()
    event = escaped[-1]
    assert event.is_set()
    event.clear()
    thread = threading.Thread(target=event.set)
    thread.start()
    assert event.wait(60)
    thread.join()
