"""Small programs that use locks and semaphores."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from counted import Box, side_by_side


def two_locks() -> None:
    box, first, second = Box(), threading.Lock(), threading.Lock()

    def one() -> None:
        with first:
            box.n += 1
        with second:
            box.m += 1

    def other() -> None:
        with second:
            box.m += 1
        with first:
            box.n += 1

    side_by_side(one, other)


def lock_in_one_thread_only() -> None:
    box, lock = Box(), threading.Lock()

    def careful() -> None:
        with lock:
            box.n += 1

    def careless() -> None:
        box.n = 5

    side_by_side(careful, careless)


def three_in_line() -> None:
    lock = threading.Lock()

    def work() -> None:
        with lock:
            pass

    side_by_side(work, work, work)


def three_at_the_table() -> None:
    forks = [threading.Lock() for _ in range(3)]

    def eat(at: int) -> None:
        with forks[at], forks[(at + 1) % 3]:
            pass

    side_by_side(*[lambda at=at: eat(at) for at in range(3)])


def observed_lock() -> None:
    lock = threading.Lock()

    def hold() -> None:
        with lock:
            pass

    side_by_side(hold, lock.locked)


def released_by_another() -> None:
    lock = threading.Lock()

    def take() -> None:
        lock.acquire()

    def give() -> None:
        with suppress(RuntimeError):
            lock.release()

    side_by_side(take, take, give)


def timed_acquire() -> None:
    lock = threading.Lock()

    def hold() -> None:
        with lock:
            time.sleep(2)

    def hurry() -> None:
        if lock.acquire(timeout=1):
            lock.release()

    side_by_side(hold, hurry)


def released_twice() -> None:
    lock = threading.Lock()

    def careful() -> None:
        lock.acquire()
        with suppress(RuntimeError):
            lock.release()

    def careless() -> None:
        with suppress(RuntimeError):
            lock.release()

    side_by_side(careful, careless, lock.acquire)


def crossed_rlocks() -> None:
    first, second = threading.RLock(), threading.RLock()

    def work(one: threading.RLock, other: threading.RLock) -> None:
        with one, one, other:
            pass

    side_by_side(lambda: work(first, second), lambda: work(second, first))


def dies_with_the_lock() -> None:
    lock, box = threading.Lock(), Box()

    def die() -> None:
        lock.acquire()
        box.n = 1
        raise ValueError

    def check() -> None:
        with lock:
            assert box.n == 0

    side_by_side(die, check)


def signaled() -> None:
    box, semaphore = Box(), threading.Semaphore(0)

    def give() -> None:
        box.n = 1
        semaphore.release()

    def take() -> None:
        semaphore.acquire()
        box.n = 2

    side_by_side(give, take)


def several_permits() -> None:
    semaphore = threading.Semaphore(0)
    side_by_side(lambda: semaphore.release(2), semaphore.acquire, semaphore.acquire)


def given_by_two() -> None:
    semaphore = threading.Semaphore(0)

    def give() -> None:
        semaphore.release()

    def take() -> None:
        semaphore.acquire()

    side_by_side(give, give, take)


def one_too_many() -> None:
    semaphore = threading.BoundedSemaphore(1)

    def give() -> None:
        with suppress(ValueError):
            semaphore.release()

    side_by_side(semaphore.acquire, give, give)


def tried_semaphore() -> None:
    semaphore = threading.Semaphore(1)

    def hold() -> None:
        with semaphore:
            pass

    side_by_side(hold, lambda: semaphore.acquire(blocking=False))


def not_enough_permits() -> None:
    semaphore = threading.Semaphore(2)
    side_by_side(semaphore.acquire, semaphore.acquire, semaphore.acquire)


def permits_in_time() -> None:
    semaphore = threading.Semaphore(0)

    def give() -> None:
        time.sleep(1)
        semaphore.release()

    side_by_side(lambda: semaphore.acquire(timeout=1), give)
