"""Calls that wait with a timeout: each wait times out alone, or ends because of what another call does meanwhile."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from concurrent.futures import Future

import pytest
from checking import checker, values

import raddle


class Stack:
    """`pop` checks, waits in one of several ways for something that never happens, and then acts."""

    def __init__(self):
        self.items = [1]
        self.event = threading.Event()
        self.condition = threading.Condition()
        self.queue = queue.Queue()
        self.future = Future()
        self.taken = threading.Lock()
        self.taken.acquire()
        self.permits = threading.Semaphore(0)

    def pop(self, wait):
        if self.items:
            wait(self)
            return self.items.pop()
        return None


def wait_for_event(stack):
    stack.event.wait(0.01)


def wait_for_item(stack):
    with contextlib.suppress(queue.Empty):
        stack.queue.get(timeout=0.01)


def wait_for_result(stack):
    with contextlib.suppress(TimeoutError):
        stack.future.result(0.01)


def wait_for_notification(stack):
    with stack.condition:
        stack.condition.wait(0.01)


def wait_for_predicate(stack):
    with stack.condition:
        stack.condition.wait_for(lambda: False, 0.01)


def wait_for_lock(stack):
    stack.taken.acquire(timeout=0.01)


def wait_for_permit(stack):
    stack.permits.acquire(timeout=0.01)


def wait_for_thread(stack):
    thread = threading.Thread(target=stack.event.wait, daemon=True)
    thread.start()
    thread.join(0.01)


WAITS = [
    wait_for_event, wait_for_item, wait_for_result, wait_for_notification, wait_for_predicate, wait_for_lock,
    wait_for_permit, wait_for_thread,
]  # fmt: skip


@pytest.mark.parametrize("wait", WAITS, ids=lambda wait: wait.__name__)
def test_a_race_is_found_although_the_call_waits_between_check_and_act(wait):
    calls = [lambda stack: stack.pop(wait)]
    with pytest.raises(AssertionError, match="raised IndexError, which no order of whole calls does"):
        raddle.linearizable(Stack, calls, calls)


class Latch:
    def __init__(self):
        self.event = threading.Event()
        self.waiting = 0

    def wait(self, seconds):
        self.waiting += 1
        return self.event.wait(seconds)

    def release(self):
        self.event.set()
        return self.waiting

    def is_released(self):
        return self.event.is_set()


def results(*calls, setup=Latch):
    """Return the results of the calls in the legal histories."""
    with checker(setup, *calls) as check:
        return {values(history) for history in check.legal().histories}


def test_a_wait_times_out_or_ends_in_time():
    found = results([lambda latch: latch.wait(1)], [lambda latch: latch.release()])
    # It times out before the release, it waits for the release, or the release comes first.
    assert found == {((False,), (1,)), ((True,), (1,)), ((True,), (0,))}


def test_a_wait_does_not_time_out_after_another_call_has_run_meanwhile():
    class Log(Latch):
        def wait(self, seconds):
            self.log = ["before"]
            self.event.wait(seconds)
            self.log.append("after")
            return self.log

        def release(self):
            self.log = []

    found = results([lambda log: log.wait(1)], [lambda log: log.release()], setup=Log)
    assert found == {((("list", "before", "after"),), ("returned",))}


class Relay:
    """`take` waits for a value, and `offer` hands one over only while a `take` waits."""

    def __init__(self):
        self.condition = threading.Condition()
        self.values = []
        self.waiting = 0

    def take(self, seconds):
        with self.condition:
            self.waiting += 1
            in_time = self.condition.wait_for(lambda: self.values, seconds)
            self.waiting -= 1
            return self.values.pop() if in_time else 0

    def offer(self, value):
        with self.condition:
            if self.waiting > len(self.values):
                self.values.append(value)
                self.condition.notify_all()
                return True
            return False


def test_one_wait_may_end_in_time_and_the_next_one_time_out():
    takes = [lambda relay: relay.take(1), lambda relay: relay.take(1)]
    offers = [lambda relay: relay.offer(1)], [lambda relay: relay.offer(2)]
    found = results(takes, *offers, setup=Relay)
    assert {((1, 0), (True,), (False,)), ((2, 0), (False,), (True,)), ((1, 2), (True,), (True,))} <= found


class Handshake:
    """Each call waits for the other one, by polling."""

    def __init__(self, pause):
        self.pause = pause
        self.asked = self.answered = False

    def ask(self):
        self.asked = True
        while not self.answered:
            self.pause()
        return "answered"

    def answer(self):
        while not self.asked:
            self.pause()
        self.answered = True
        return "asked"


@pytest.mark.parametrize("pause", [lambda: time.sleep(0.01), lambda: threading.Event().wait(0.01)])
def test_calls_that_poll_wait_for_other_calls(pause):
    result = raddle.linearizable(lambda: Handshake(pause), [lambda h: h.ask()], [lambda h: h.answer()])
    assert not result.findings


class Impatient(Handshake):
    def ask(self):
        self.asked = True
        for attempt in range(3):
            if self.answered:
                return attempt
            self.pause()
        return None

    def answer(self):
        self.answered = True


def test_a_call_that_tries_a_few_times_does_not_wait_for_other_calls():
    calls = [lambda h: h.ask()], [lambda h: h.answer()]
    found = results(*calls, setup=lambda: Impatient(lambda: time.sleep(0.01)))
    assert found == {(("returned",), ("returned",)), ((0,), ("returned",))}
