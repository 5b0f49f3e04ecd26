"""Programs whose executions SimGrid's model checker has counted with optimal reduction, ported to Python.

The programs are McMini examples from SimGrid's tests, reduced to their synchronization operations.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from counted import side_by_side


def philosophers_with_mutex(count: int) -> Callable[[], None]:
    """Return a scenario in which each philosopher locks the table while taking the forks."""

    def scenario() -> None:
        table, forks = threading.Lock(), [threading.Lock() for _ in range(count)]

        def eat(at: int) -> None:
            table.acquire()
            forks[at].acquire()
            forks[(at + 1) % count].acquire()
            table.release()
            forks[at].release()
            forks[(at + 1) % count].release()

        side_by_side(*[lambda at=at: eat(at) for at in range(count)])

    return scenario


def philosophers_with_semaphore(count: int) -> Callable[[], None]:
    """Return a scenario in which the table has one seat fewer than there are philosophers."""

    def scenario() -> None:
        seats, forks = threading.Semaphore(count - 1), [threading.Lock() for _ in range(count)]

        def eat(at: int) -> None:
            with seats, forks[at]:
                forks[(at + 1) % count].acquire()
                forks[(at + 1) % count].release()

        side_by_side(*[lambda at=at: eat(at) for at in range(count)])

    return scenario


def producers_and_consumers(producers: int, consumers: int, *, items: int, room: int) -> Callable[[], None]:
    def scenario() -> None:
        empty, full, mutex = threading.Semaphore(room), threading.Semaphore(0), threading.Lock()

        def produce() -> None:
            for _ in range(items):
                empty.acquire()
                with mutex:
                    pass
                full.release()

        def consume() -> None:
            for _ in range(items):
                full.acquire()
                with mutex:
                    pass
                empty.release()

        side_by_side(*[produce] * producers, *[consume] * consumers)

    return scenario


def two_mutexes(count: int) -> Callable[[], None]:
    def scenario() -> None:
        first, second = threading.Lock(), threading.Lock()

        def work() -> None:
            with first, second:
                pass

        side_by_side(*[work] * count)

    return scenario


def broadcast(count: int) -> Callable[[], None]:
    """Return a scenario whose main thread waits until all other threads are ready and then lets them continue."""

    def scenario() -> None:
        mutex, ready, go = threading.Lock(), threading.Semaphore(0), threading.Semaphore(0)

        def work() -> None:
            ready.release()
            with mutex:
                go.acquire()

        threads = [threading.Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for _ in threads:
            ready.acquire()
        for _ in threads:
            go.release()
        for thread in threads:
            thread.join()

    return scenario


def barber_shop(customers: int, *, chairs: int) -> Callable[[], None]:
    def scenario() -> None:
        waiting_room, chair = threading.Semaphore(chairs), threading.Semaphore(1)
        pillow, belt = threading.Semaphore(0), threading.Semaphore(0)

        def come() -> None:
            waiting_room.acquire()
            chair.acquire()
            waiting_room.release()
            pillow.release()
            belt.acquire()
            chair.release()

        def cut() -> None:
            for _ in range(customers):
                pillow.acquire()
                belt.release()
            pillow.acquire()

        barber = threading.Thread(target=cut)
        barber.start()
        side_by_side(*[come] * customers)
        pillow.release()
        barber.join()

    return scenario
