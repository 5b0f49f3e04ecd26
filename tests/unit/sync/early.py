"""A program that creates its primitives before raddle patches anything.

It holds references to them in globals, class attributes, default arguments and `from` imports.
"""

from __future__ import annotations

import queue
import threading
import time
from _thread import RLock as LowLevelRLock
from _thread import allocate_lock, start_new_thread
from threading import Condition, Event, Lock, RLock, Thread, current_thread
from time import monotonic, sleep

LOCK = Lock()
RLOCK = RLock()
LOW_LOCK = allocate_lock()
LOW_RLOCK = LowLevelRLock()
CONDITION = Condition()
PLAIN_CONDITION = Condition(Lock())
EVENT = Event()
SEMAPHORE = threading.Semaphore(1)
BARRIER = threading.Barrier(2)
QUEUE = queue.Queue(1)
SIMPLE = queue.SimpleQueue()


class Holder:
    lock = Lock()

    def __init__(self, lock=LOCK):
        self.mine = lock


def with_default_arguments(number, counts, lock=LOCK, make=Lock):
    with lock, make():
        step(number, counts)


def step(number, counts):
    """Increment a count. Two threads that run this function at the same time can lose an update."""
    seen = counts[number]
    sleep(0)
    counts[number] = seen + 1


def run_two(work):
    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def locks_exclude():
    counts = [0] * 7
    holder = Holder()

    def work():
        with LOCK:
            step(0, counts)
        with RLOCK, RLOCK:
            step(1, counts)
        LOW_LOCK.acquire()
        step(2, counts)
        LOW_LOCK.release()
        with Holder.lock:
            step(3, counts)
        with holder.mine:
            step(4, counts)
        with_default_arguments(5, counts)
        with LOW_RLOCK:
            step(6, counts)

    run_two(work)
    assert counts == [2] * 7
    assert not LOCK.locked()


def other_primitives_work():
    EVENT.clear()
    results = []

    def work():
        assert EVENT.wait(60)
        with SEMAPHORE:
            results.append(QUEUE.get())
        results.append(SIMPLE.get())
        BARRIER.wait()
        for condition in (CONDITION, PLAIN_CONDITION):
            condition.acquire()
            condition.notify()
            condition.release()

    thread = Thread(target=work)
    CONDITION.acquire()
    PLAIN_CONDITION.acquire()
    thread.start()
    EVENT.set()
    QUEUE.put(1)
    SIMPLE.put(2)
    BARRIER.wait()
    assert CONDITION.wait(60)
    assert PLAIN_CONDITION.wait(60)
    CONDITION.release()
    PLAIN_CONDITION.release()
    thread.join()
    assert results == [1, 2]


def imported_functions():
    before = monotonic()
    sleep(3600)
    assert 3600 <= monotonic() - before < 3601
    names = []
    start_new_thread(lambda: names.append(current_thread().name), ())
    sleep(1)
    assert names == ["Dummy-1"]


def held_outside():
    assert not LOCK.acquire(blocking=False)
    assert not LOCK.acquire(timeout=5)


PLAIN = threading.local()
PLAIN.value = "early"


class Initialized(threading.local):
    def __init__(self):
        self.count = 0


class Account(threading.local):
    def __init__(self, balance, *, currency):
        self.balance = balance
        self.currency = currency


INITIALIZED = Initialized()
ACCOUNT = Account(7, currency="EUR")


def plain_local():
    seen = []

    def work():
        seen.append(hasattr(PLAIN, "value"))
        PLAIN.value = current_thread().name
        sleep(1)
        seen.append(PLAIN.value == current_thread().name)

    run_two(work)
    assert sorted(seen) == [False, False, True, True]
    assert PLAIN.value == "early"


def initialized_local():
    seen = []

    def work():
        INITIALIZED.count += 1
        sleep(1)
        seen.append(INITIALIZED.count)

    run_two(work)
    assert seen == [1, 1]
    assert INITIALIZED.count == 0


def local_with_arguments():
    seen = []

    def work():
        ACCOUNT.balance += 1
        sleep(1)
        seen.append((ACCOUNT.balance, ACCOUNT.currency))

    run_two(work)
    assert seen == [(8, "EUR")] * 2
    assert ACCOUNT.balance == 7


def wall_clock():
    return time.time()
