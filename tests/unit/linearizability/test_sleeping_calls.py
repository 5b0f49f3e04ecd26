"""Calls that sleep: other calls run in the meantime, and that does not make their outcomes legal."""

from __future__ import annotations

import threading
import time

import pytest

import raddle


class Stack:
    def __init__(self):
        self.items = [1]
        self.lock = threading.Lock()

    def pop(self):
        if self.items:
            time.sleep(0.01)
            return self.items.pop()
        return None

    def pop_under_lock(self):
        with self.lock:
            return self.pop()


class Inbox:
    def __init__(self):
        self.condition = threading.Condition()
        self.items = []

    def put(self, item):
        with self.condition:
            self.items.append(item)
            self.condition.notify()

    def get(self, seconds):
        with self.condition:
            while not self.items:
                if not self.condition.wait(seconds):
                    return None
            return self.items.pop(0)


def test_a_race_is_found_although_the_call_sleeps_between_check_and_act():
    with pytest.raises(AssertionError, match="pop\\(\\) raised IndexError, which no order of whole calls does"):
        raddle.linearizable(Stack, [lambda stack: stack.pop()], [lambda stack: stack.pop()])


def test_sleeping_under_a_lock_is_legal():
    calls = [lambda stack: stack.pop_under_lock()]
    assert raddle.linearizable(Stack, calls, calls).stopped_because == "exhausted"


def test_a_timed_wait_may_time_out_or_end_in_time():
    # Whole calls give None (the wait expires before the put) or 1 (it is notified, or the put comes first).
    result = raddle.linearizable(Inbox, [lambda inbox: inbox.get(1)], [lambda inbox: inbox.put(1)])
    assert result.stopped_because == "exhausted"
