"""Small programs that use conditions, events and barriers."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from counted import Box, side_by_side


def notified_all() -> None:
    box, changed = Box(), threading.Condition()

    def wait() -> None:
        with changed:
            while not box.ready:
                changed.wait()

    def notify() -> None:
        with changed:
            box.ready = True
            changed.notify_all()

    side_by_side(wait, wait, notify)


def notified_too_early() -> None:
    changed = threading.Condition()

    def wait() -> None:
        with changed:
            changed.wait()

    def notify() -> None:
        with changed:
            changed.notify()

    side_by_side(wait, notify)


def timed_wait() -> None:
    box, changed = Box(), threading.Condition()

    def wait() -> None:
        with changed:
            if not changed.wait(1):
                box.n = 1

    def notify() -> None:
        time.sleep(1)
        with changed:
            changed.notify()

    side_by_side(wait, notify)


def two_conditions() -> None:
    lock = threading.Lock()
    one, other = threading.Condition(lock), threading.Condition(lock)
    box = Box()

    def wait(condition: threading.Condition) -> None:
        with condition:
            if box.n == 0:
                condition.wait()

    def notify() -> None:
        with lock:
            box.n = 1
            one.notify()
            other.notify()

    side_by_side(lambda: wait(one), lambda: wait(other), notify)


def notified_one_of_two() -> None:
    box, changed = Box(), threading.Condition()

    def wait(value: int) -> None:
        with changed:
            changed.wait()
            box.n = value

    def notify() -> None:
        with changed:
            changed.notify()

    side_by_side(lambda: wait(1), lambda: wait(2), notify)


def waited_for() -> None:
    items, changed = [0], threading.Condition()

    def wait() -> None:
        with changed:
            changed.wait_for(lambda: len(items) > 1)

    def add() -> None:
        with changed:
            items.append(1)
            changed.notify()

    side_by_side(wait, add)


def cleared_event() -> None:
    event = threading.Event()

    def signal() -> None:
        event.set()
        event.clear()

    side_by_side(signal, event.wait)


def set_by_two() -> None:
    event = threading.Event()
    side_by_side(event.set, event.set, event.wait)


def event_in_time() -> None:
    box, event = Box(), threading.Event()

    def wait() -> None:
        box.n = event.wait(1)

    def signal() -> None:
        time.sleep(1)
        event.set()

    side_by_side(wait, signal)


def met_at_barrier() -> None:
    box, barrier = Box(), threading.Barrier(2)

    def work() -> None:
        barrier.wait()
        box.n += 1

    side_by_side(work, work)


def broken_barrier() -> None:
    box, barrier = Box(), threading.Barrier(2)

    def work() -> None:
        try:
            barrier.wait()
        except threading.BrokenBarrierError:
            box.n = 1

    side_by_side(work, work, barrier.abort)


def barrier_in_time() -> None:
    barrier = threading.Barrier(2)

    def work(seconds: float) -> None:
        time.sleep(seconds)
        with suppress(threading.BrokenBarrierError):
            barrier.wait(1)

    side_by_side(lambda: work(0), lambda: work(1))
