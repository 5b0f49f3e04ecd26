"""Programs in which a thread waits with a timeout of 0 for something that another thread provides.

Each program notes the result of the wait. A timeout of 0 expires at once, so the thread gets nothing if it runs first.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from typing import Any

Note = Callable[[object], object]
Program = Callable[[Note], None]


def side_by_side(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class SizedByItself(queue.Queue):  # type: ignore[type-arg]
    """A queue that the twin cannot model, because it overrides `_qsize`; the standard library's code runs instead."""

    def _qsize(self) -> int:
        return len(self.queue)


QUEUES = (queue.Queue, queue.LifoQueue, queue.PriorityQueue, SizedByItself)


# -- queues ---------------------------------------------------------------------------------------------


def got_from(make: Callable[[], Any], **options: Any) -> Program:
    def program(note: Note) -> None:
        items = make()

        def get() -> None:
            try:
                note(items.get(**options))
            except queue.Empty:
                note("empty")

        side_by_side(lambda: items.put(1), get)

    return program


def put_into(make: Callable[[int], Any], **options: Any) -> Program:
    def program(note: Note) -> None:
        items = make(1)
        items.put(0)

        def put() -> None:
            try:
                items.put(1, **options)
            except queue.Full:
                note("full")
            else:
                note("put")

        side_by_side(items.get, put)

    return program


def filled_by_hand(note: Note) -> None:
    """The timeout applies to the wait for items, but `get` always waits for the queue's mutex."""
    items: queue.Queue[int] = queue.Queue()

    def fill() -> None:
        with items.mutex:
            items.queue.append(1)

    def get() -> None:
        try:
            note(items.get(timeout=0))
        except queue.Empty:
            note("empty")

    side_by_side(fill, get)


# -- locks, conditions, events --------------------------------------------------------------------------


def acquired(make: Callable[[], Any]) -> Program:
    def program(note: Note) -> None:
        lock = make()

        def hold() -> None:
            with lock:
                pass

        def take() -> None:
            got = lock.acquire(timeout=0)
            note(got)
            if got:
                lock.release()

        side_by_side(hold, take)

    return program


def notified(make: Callable[[], Any]) -> Program:
    """`wait` releases the lock briefly, so the other thread can notify even though the timeout is 0."""

    def program(note: Note) -> None:
        condition = make()

        def notify() -> None:
            with condition:
                condition.notify()

        def listen() -> None:
            with condition:
                note(condition.wait(0))

        side_by_side(notify, listen)

    return program


def predicate_came_true(note: Note) -> None:
    condition, items = threading.Condition(), list[int]()

    def add() -> None:
        with condition:
            items.append(1)
            condition.notify()

    def listen() -> None:
        with condition:
            note(condition.wait_for(lambda: len(items), 0))

    side_by_side(add, listen)


def event_set(note: Note) -> None:
    event = threading.Event()
    side_by_side(event.set, lambda: note(event.wait(0)))


def barrier_passed(note: Note) -> None:
    """The thread with timeout 0 passes the barrier if it arrives last, and breaks the barrier if it arrives first."""
    barrier = threading.Barrier(2)

    def arrive(timeout: float | None) -> None:
        try:
            barrier.wait(timeout)
        except threading.BrokenBarrierError:
            note("broken")
        else:
            note("passed")

    side_by_side(lambda: arrive(0), lambda: arrive(None))


# -- threads and futures --------------------------------------------------------------------------------


def joined(note: Note) -> None:
    items: list[int] = []
    thread = threading.Thread(target=lambda: items.append(1))
    thread.start()
    thread.join(0)
    note(len(items))
    thread.join()


def future_result(operation: Callable[[Future[int]], object]) -> Program:
    def program(note: Note) -> None:
        future: Future[int] = Future()

        def look() -> None:
            try:
                note(operation(future))
            except TimeoutError:
                note("late")

        side_by_side(lambda: future.set_result(1), look)

    return program


def pool_result(operation: Callable[[ThreadPoolExecutor], object]) -> Program:
    def program(note: Note) -> None:
        with ThreadPoolExecutor(1) as pool:
            try:
                note(operation(pool))
            except TimeoutError:
                note("late")

    return program


def _one() -> int:
    return 1


PROGRAMS: dict[str, tuple[Program, set[object]]] = {
    **{f"{make.__name__}.get": (got_from(make, timeout=0), {1, "empty"}) for make in (*QUEUES, queue.SimpleQueue)},
    **{f"{make.__name__}.put": (put_into(make, timeout=0), {"put", "full"}) for make in QUEUES},
    # A call with `block=False` ignores the timeout.
    "Queue.get without blocking": (got_from(queue.Queue, block=False, timeout=0), {1, "empty"}),
    "Queue.put without blocking": (put_into(queue.Queue, block=False, timeout=0), {"put", "full"}),
    "Queue filled by hand": (filled_by_hand, {1, "empty"}),
    **{
        f"{make.__name__}.acquire": (acquired(make), {True, False})
        for make in (threading.Semaphore, threading.BoundedSemaphore, threading.Condition)
    },
    "Lock.acquire": (acquired(lambda: threading.Lock()), {True, False}),
    "RLock.acquire": (acquired(lambda: threading.RLock()), {True, False}),
    "Condition.wait": (notified(threading.Condition), {True, False}),
    "Condition.wait, on a plain lock": (notified(lambda: threading.Condition(threading.Lock())), {True, False}),
    "Condition.wait_for": (predicate_came_true, {0, 1}),
    "Event.wait": (event_set, {True, False}),
    "Barrier.wait": (barrier_passed, {"passed", "broken"}),
    "Thread.join": (joined, {0, 1}),
    "Future.result": (future_result(lambda future: future.result(timeout=0)), {1, "late"}),
    "Future.exception": (future_result(lambda future: future.exception(timeout=0)), {None, "late"}),
    "wait": (future_result(lambda future: len(wait([future], timeout=0).done)), {0, 1}),
    "as_completed": (future_result(lambda future: len(list(as_completed([future], timeout=0)))), {1, "late"}),
    "submit": (pool_result(lambda pool: pool.submit(_one).result(timeout=0)), {1, "late"}),
    "map": (pool_result(lambda pool: sum(pool.map(lambda _: 1, "a", timeout=0))), {1, "late"}),
}
