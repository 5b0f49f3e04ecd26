"""Small programs that use queues."""

from __future__ import annotations

import queue
import time
from collections import deque
from contextlib import suppress

from counted import Box, side_by_side


def three_items() -> None:
    pipe: queue.Queue[int] = queue.Queue()

    def consume() -> None:
        pipe.get()

    side_by_side(lambda: pipe.put(1), lambda: pipe.put(2), consume, consume)


def little_room() -> None:
    pipe: queue.Queue[int] = queue.Queue(1)

    def produce() -> None:
        pipe.put(1)
        pipe.put(2)

    side_by_side(produce, produce, lambda: [pipe.get() for _ in range(3)])


def polled() -> None:
    pipe: queue.Queue[int] = queue.Queue()

    def poll() -> None:
        with suppress(queue.Empty):
            pipe.get_nowait()

    side_by_side(lambda: pipe.put(1), poll, pipe.qsize)


def refused() -> None:
    pipe: queue.Queue[int] = queue.Queue(1)

    def offer(value: int) -> None:
        with suppress(queue.Full):
            pipe.put_nowait(value)

    side_by_side(lambda: offer(1), lambda: offer(2), pipe.get)


def last_in_first_out() -> None:
    pipe: queue.LifoQueue[int] = queue.LifoQueue()
    side_by_side(lambda: [pipe.put(1), pipe.put(2)], pipe.get)


def sorted_queue() -> None:
    pipe: queue.PriorityQueue[int] = queue.PriorityQueue()
    side_by_side(lambda: pipe.put(2), lambda: pipe.put(1), pipe.get)


def all_done() -> None:
    box = Box()
    pipe: queue.Queue[int] = queue.Queue()

    def work() -> None:
        for _ in range(2):
            pipe.get()
            box.n = 1
            pipe.task_done()

    def wait() -> None:
        pipe.join()
        box.n = 2

    side_by_side(lambda: [pipe.put(1), pipe.put(2)], work, wait)


def done_too_often() -> None:
    pipe: queue.Queue[int] = queue.Queue()

    def finish() -> None:
        with suppress(ValueError):
            pipe.task_done()

    side_by_side(lambda: pipe.put(1), finish)


def got_in_time() -> None:
    pipe: queue.Queue[int] = queue.Queue()

    def get() -> None:
        with suppress(queue.Empty):
            pipe.get(timeout=1)

    def put() -> None:
        time.sleep(1)
        pipe.put(1)

    side_by_side(get, put)


def held_mutex() -> None:
    pipe: queue.Queue[int] = queue.Queue()

    def inspect() -> None:
        with pipe.mutex:
            len(pipe.queue)

    side_by_side(inspect, lambda: pipe.put(1), pipe.get)


class Noting(queue.Queue[int]):
    """A queue subclass whose overridden methods run while its mutex is held."""

    last = 0

    def _put(self, item: int) -> None:
        super()._put(item)
        self.last = item

    def _get(self) -> int:
        self.last = 0
        return super()._get()


class Job:
    def __init__(self, urgency: int) -> None:
        self.urgency = urgency

    def __lt__(self, other: Job) -> bool:
        return self.urgency < other.urgency


class Deck(deque[int]):
    added = 0

    def append(self, item: int) -> None:
        self.added += 1
        super().append(item)


class Decked(queue.Queue[int]):
    def _init(self, maxsize: int) -> None:
        self.queue = Deck()


def overridden_put() -> None:
    pipe = Noting()

    def inspect() -> None:
        with pipe.mutex:
            assert (pipe.last, len(pipe.queue)) in ((0, 0), (1, 1))

    side_by_side(lambda: pipe.put(1), inspect)


def overridden_get() -> None:
    pipe = Noting(1)
    side_by_side(lambda: pipe.put(1), pipe.get, lambda: pipe.put(2), pipe.qsize)


def overridden_polled() -> None:
    pipe = Noting()

    def poll() -> None:
        with suppress(queue.Empty):
            pipe.get_nowait()

    def inspect() -> None:
        if pipe.mutex.acquire(blocking=False):
            pipe.last = 3
            pipe.mutex.release()

    side_by_side(lambda: pipe.put(1), poll, inspect)


def compared() -> None:
    pipe: queue.PriorityQueue[Job] = queue.PriorityQueue()
    job = Job(2)
    pipe.put(job)

    def hurry() -> None:
        with pipe.mutex:
            job.urgency = 0

    side_by_side(lambda: pipe.put(Job(1)), hurry, pipe.get)


def kept_in_a_deck() -> None:
    pipe = Decked()

    def inspect() -> None:
        with pipe.mutex:
            len(pipe.queue)

    side_by_side(lambda: pipe.put(1), inspect, lambda: pipe.put(2))


def cleared() -> None:
    pipe: queue.Queue[int] = queue.Queue()
    pipe.put(0)

    def clear() -> None:
        with pipe.mutex:
            pipe.queue.clear()

    side_by_side(lambda: pipe.put(1), clear, pipe.get)


def cleared_for_more() -> None:
    pipe: queue.Queue[int] = queue.Queue(1)

    def clear() -> None:
        with pipe.mutex:
            pipe.queue.clear()

    side_by_side(lambda: pipe.put(1), clear, lambda: pipe.put(2))


def filled_by_hand() -> None:
    box = Box()
    pipe: queue.Queue[int] = queue.Queue()

    def fill() -> None:
        with pipe.mutex:
            pipe.queue.append(1)

    def take() -> None:
        box.n = 1
        pipe.get()

    side_by_side(fill, take, lambda: pipe.put(2))


def simple_queue() -> None:
    pipe: queue.SimpleQueue[int] = queue.SimpleQueue()
    side_by_side(lambda: pipe.put(1), lambda: pipe.put(2), pipe.get, pipe.empty)


def shut_down() -> None:
    pipe: queue.Queue[int] = queue.Queue()

    def get() -> None:
        with suppress(queue.ShutDown):  # type: ignore[attr-defined]
            pipe.get()

    side_by_side(get, get, pipe.shutdown)  # type: ignore[attr-defined]


def shut_down_early() -> None:
    box = Box()
    pipe: queue.Queue[int] = queue.Queue(2)

    def put(value: int) -> None:
        try:
            pipe.put(value)
        except queue.ShutDown:  # type: ignore[attr-defined]
            box.n = value

    def get() -> None:
        with suppress(queue.ShutDown):  # type: ignore[attr-defined]
            pipe.get()

    side_by_side(lambda: put(1), lambda: put(2), get, pipe.shutdown)  # type: ignore[attr-defined]
