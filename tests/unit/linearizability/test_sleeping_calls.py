"""Calls that sleep: other calls run in the meantime, and that does not make their outcomes legal."""

from __future__ import annotations

import queue
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


class Worker:
    """A thread of its own takes items from a queue, and sleeps after each of them."""

    def __init__(self):
        self.items = queue.Queue(2)
        self.items.put("first")
        threading.Thread(target=self.take_items, daemon=True).start()

    def take_items(self):
        while True:
            self.items.get()
            time.sleep(0)

    def submit(self, item):
        try:
            self.items.put_nowait(item)
        except queue.Full:
            return False
        return True

    def count(self):
        return self.items.qsize()


def test_threads_of_the_object_may_continue_at_any_time_between_calls():
    # The thread can take no item, or some of them, before the first call, between the calls, and after them.
    raddle.linearizable(
        Worker, [lambda worker: worker.submit(1)], [lambda worker: worker.submit(2)], observe=[Worker.count]
    )
