"""Small programs whose schedules are counted by hand in `test_counts`."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

total = 0


class Box:
    """An object shared by the threads."""

    def __init__(self) -> None:
        self.n = 0
        self.m = 0
        self.ready = False


def side_by_side(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def increments(times: int) -> Callable[[], None]:
    def scenario() -> None:
        box = Box()

        def work() -> None:
            for _ in range(times):
                box.n += 1

        side_by_side(work, work)

    return scenario


def locked_increments(times: int) -> Callable[[], None]:
    def scenario() -> None:
        box, lock = Box(), threading.Lock()

        def work() -> None:
            for _ in range(times):
                with lock:
                    box.n += 1

        side_by_side(work, work)

    return scenario


def writers(count: int) -> Callable[[], None]:
    def scenario() -> None:
        box = Box()

        def work(value: int) -> None:
            box.n = value

        side_by_side(*[lambda value=value: work(value) for value in range(count)])

    return scenario


def global_increments() -> None:
    def work() -> None:
        global total
        total += 1

    side_by_side(work, work)


def closure_increments() -> None:
    count = 0

    def work() -> None:
        nonlocal count
        count += 1

    side_by_side(work, work)


def dict_increments() -> None:
    counts: dict[str, int] = {}

    def work() -> None:
        counts["a"] = counts.get("a", 0) + 1

    side_by_side(work, work)


def three_appends() -> None:
    items: list[int] = []
    side_by_side(lambda: items.append(1), lambda: items.append(2), lambda: items.append(3))


def check_then_act() -> None:
    known: dict[str, int] = {}

    def work() -> None:
        if "a" not in known:
            known["a"] = 1

    side_by_side(work, work)


def separate_variables() -> None:
    box = Box()

    def one() -> None:
        box.n += 1

    def other() -> None:
        box.m += 1

    side_by_side(one, other)


def readers() -> None:
    box = Box()
    seen = []

    def work() -> None:
        value = box.n + box.m
        seen.append(value) if value else None

    side_by_side(work, work, work)


def nested_rlock() -> None:
    box, lock = Box(), threading.RLock()

    def work() -> None:
        with lock, lock:
            box.n += 1

    side_by_side(work, work)


def guarded_by_semaphore(permits: int) -> Callable[[], None]:
    def scenario() -> None:
        box, semaphore = Box(), threading.Semaphore(permits)

        def work() -> None:
            with semaphore:
                box.n += 1

        side_by_side(work, work)

    return scenario


def released_by_event() -> None:
    box, event = Box(), threading.Event()

    def work() -> None:
        event.wait()
        box.n += 1

    side_by_side(work, work, event.set)


def observed_event() -> None:
    event = threading.Event()
    side_by_side(event.set, event.is_set)


def handed_over(items: int, capacity: int) -> Callable[[], None]:
    def scenario() -> None:
        pipe: queue.Queue[int] = queue.Queue(capacity)

        def produce() -> None:
            for item in range(items):
                pipe.put(item)

        def consume() -> None:
            for _ in range(items):
                pipe.get()

        side_by_side(produce, consume)

    return scenario


def two_producers() -> None:
    pipe: queue.Queue[int] = queue.Queue()

    def consume() -> None:
        pipe.get()
        pipe.get()

    side_by_side(lambda: pipe.put(1), lambda: pipe.put(2), consume)


def condition() -> None:
    box, changed = Box(), threading.Condition()

    def wait() -> None:
        with changed:
            while not box.ready:
                changed.wait()

    def notify() -> None:
        with changed:
            box.ready = True
            changed.notify()

    side_by_side(wait, notify)


def main_works_too() -> None:
    box = Box()

    def work() -> None:
        box.n += 1

    thread = threading.Thread(target=work)
    thread.start()
    box.n += 1
    thread.join()


def one_after_the_other() -> None:
    box = Box()

    def work() -> None:
        box.n += 1

    for _ in range(3):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()


def started_half_way() -> None:
    box = Box()

    def child() -> None:
        box.n = 3

    def parent() -> None:
        box.n = 1
        thread = threading.Thread(target=child)
        thread.start()
        box.n = 2
        thread.join()

    side_by_side(parent)


def tried_lock() -> None:
    lock = threading.Lock()

    def hold() -> None:
        with lock:
            pass

    def attempt() -> None:
        lock.acquire(blocking=False)

    side_by_side(hold, attempt)


def observed_thread() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.is_alive()
    thread.join()


def crossed_locks() -> None:
    first, second = threading.Lock(), threading.Lock()

    def one() -> None:
        with first, second:
            pass

    def other() -> None:
        with second, first:
            pass

    side_by_side(one, other)
