"""Behavior of the condition twins that CPython's own tests do not cover."""

from __future__ import annotations

import threading
import time

import pytest
from controlled import controlled, controlled_with_seeds, outcome_of, result_of


class LoggingLock:
    """A user-defined lock class with only the methods that a condition needs."""

    def __init__(self):
        self.inner = threading.Lock()
        self.log = []

    def acquire(self, *args):
        got = self.inner.acquire(*args)
        self.log.append("acquire" if got else "refused")
        return got

    def release(self):
        self.log.append("release")
        self.inner.release()

    def locked(self):  # needed since 3.14
        return self.inner.locked()

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exc):
        self.release()


LOCKS = {
    "default": lambda: None,
    "Lock": lambda: threading.Lock(),
    "RLock": lambda: threading.RLock(),
    "own class": LoggingLock,
}
CALLS = {
    "wait": lambda c: c.wait(),
    "wait with a timeout": lambda c: c.wait(1),
    "wait_for": lambda c: c.wait_for(lambda: False),
    "wait_for a true predicate": lambda c: c.wait_for(lambda: 7),
    "notify": lambda c: c.notify(),
    "notify several": lambda c: c.notify(3),
    "notify_all": lambda c: c.notify_all(),
    "release": lambda c: c.release(),
    "acquire": lambda c: c.acquire(),
    "with": lambda c: c.__enter__(),
    "exit": lambda c: c.__exit__(None, None, None),
}


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS.keys())
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_calls_have_the_same_results_as_on_a_real_condition(lock, call):
    def try_it():
        return result_of(lambda: call(threading.Condition(lock())))

    assert controlled(try_it) == try_it()


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS.keys())
def test_notify_wakes_the_given_number_of_waiters_in_order(lock):
    def scenario():
        condition, woken = threading.Condition(lock()), []

        def wait(name):
            with condition:
                assert condition.wait()
                woken.append(name)

        threads = [threading.Thread(target=wait, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
            time.sleep(1)  # the started thread is waiting by then
        seen = []
        for count in (1, 2):
            with condition:
                condition.notify(count)
            time.sleep(1)
            seen.append("".join(sorted(woken)))
        with condition:
            condition.notify_all()
        for thread in threads:
            thread.join()
        return [*seen, "".join(sorted(woken))]

    assert all(seen == ["a", "abc", "abcd"] for seen in controlled_with_seeds(scenario, seeds=range(8)))


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS.keys())
def test_timeouts_are_virtual_and_wait_reacquires_the_lock(lock):
    def scenario():
        condition = threading.Condition(lock())
        start = time.monotonic()
        with condition:
            assert condition.wait(3600) is False
            assert 3600 <= time.monotonic() - start < 3601
            assert condition.wait(0) is False
            assert condition.wait(-5) is False
            assert condition.wait_for(lambda: False, timeout=10) is False
            assert 3610 <= time.monotonic() - start < 3611
            assert not condition._waiters
            results = []
            thread = threading.Thread(target=lambda: results.append(condition._lock.acquire(False)))
            thread.start()
            thread.join()
            assert results == [False]
        return result_of(condition.release)

    kind, text = controlled(scenario)
    assert kind == "RuntimeError"
    assert text in ("release unlocked lock", "cannot release un-acquired lock")


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS.keys())
def test_a_timeout_of_nan_has_the_same_result_as_on_a_real_condition(lock):
    def waited():
        condition = threading.Condition(lock())
        with condition:
            return result_of(lambda: condition.wait(float("nan"))), len(condition._waiters)

    assert controlled(waited) == waited()


def test_wait_releases_a_recursive_lock_fully_and_restores_its_count():
    def scenario():
        condition, seen = threading.Condition(), []

        def other():
            with condition:
                seen.append("in")
                condition.notify()

        with condition, condition:
            thread = threading.Thread(target=other)
            thread.start()
            assert seen == []
            assert condition.wait()
            assert seen == ["in"]
            assert condition._is_owned()
            condition.release()
            assert condition._is_owned()
            condition.acquire()
        assert not condition._is_owned()
        thread.join()

    controlled_with_seeds(scenario)


def test_two_conditions_share_a_lock():
    def scenario():
        lock = threading.Lock()
        full, empty, items = threading.Condition(lock), threading.Condition(lock), []

        def produce():
            for number in range(3):
                with empty:
                    empty.wait_for(lambda: not items)
                    items.append(number)
                    full.notify()

        thread = threading.Thread(target=produce)
        thread.start()
        got = []
        for _ in range(3):
            with full:
                full.wait_for(lambda: items)
                got.append(items.pop())
                empty.notify()
        thread.join()
        return got

    assert all(got == [0, 1, 2] for got in controlled_with_seeds(scenario))


def test_a_user_defined_lock_is_called_as_by_cpython():
    def scenario():
        lock = LoggingLock()
        condition = threading.Condition(lock)
        with condition:
            condition.wait(0.001)
        return lock.log

    assert controlled(scenario) == scenario() == ["acquire", "refused", "release", "acquire", "release"]


def test_a_notification_without_a_waiter_is_a_lost_wakeup():
    def scenario():
        condition = threading.Condition()
        with condition:
            condition.notify()
        with condition:
            condition.wait()

    assert outcome_of(scenario).kind == "lost-wakeup"


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS.keys())
def test_every_method_of_a_condition_created_earlier_is_controlled(lock):
    condition = threading.Condition(lock())

    def scenario():
        seen = []

        def other():
            condition.acquire()
            condition.notify()
            seen.append("notified")
            condition.release()

        assert condition.acquire() is True
        thread = threading.Thread(target=other)
        thread.start()
        assert condition.wait(60) is True
        condition.release()
        thread.join()
        with condition:
            assert condition.wait(1) is False
        return seen

    assert all(seen == ["notified"] for seen in controlled_with_seeds(scenario))
    assert not condition._waiters
    with condition:
        assert condition.wait(0.001) is False


def test_a_condition_from_an_ended_execution_works_with_real_threads():
    escaped = []
    controlled(lambda: escaped.append(threading.Condition()))
    (condition,) = escaped
    state = []

    def other():
        with condition:
            state.append("done")
            condition.notify()

    with condition:
        thread = threading.Thread(target=other)
        thread.start()
        assert condition.wait_for(lambda: state, timeout=60)
    thread.join()
