"""Different ways to create threads and to obtain locks."""

from __future__ import annotations

import _thread
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Condition, Lock, RLock, Semaphore, Thread, Timer

MODULE_LOCK = threading.Lock()
MODULE_RLOCK = RLock()
MODULE_CONDITION = Condition()
MODULE_SEMAPHORE = Semaphore()
MODULE_QUEUE: queue.Queue[None] = queue.Queue()
MODULE_SIMPLE_QUEUE: SimpleQueue[None] = SimpleQueue()
OTHER_LOCK = _thread.allocate_lock()
make_lock = Lock


class Counter:
    def __init__(self) -> None:
        self.n = 0

    def add(self) -> None:
        self.n += 1


def reset() -> None:
    for pipe in (MODULE_QUEUE, MODULE_SIMPLE_QUEUE):
        while not pipe.empty():
            pipe.get()


# -- threads ----------------------------------------------------------------------------------------------


class Adder(Thread):
    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self.counter = counter

    def run(self) -> None:
        self.counter.add()


def subclass() -> None:
    counter = Counter()
    threads = [Adder(counter), Adder(counter)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.n == 2, counter.n


def timer() -> None:
    counter = Counter()
    timers = [Timer(3600, counter.add), Timer(3600, counter.add)]
    for thread in timers:
        thread.start()
    for thread in timers:
        thread.join()
    assert counter.n == 2, counter.n


def pool() -> None:
    counter = Counter()
    with ThreadPoolExecutor(2) as executor:
        executor.submit(counter.add)
        executor.submit(counter.add)
    assert counter.n == 2, counter.n


def low_level() -> None:
    counter = Counter()
    done = [Lock(), Lock()]

    def work(lock: Lock) -> None:
        counter.add()
        lock.release()

    for lock in done:
        lock.acquire()
        _thread.start_new_thread(work, (lock,))
    for lock in done:
        lock.acquire()
    assert counter.n == 2, counter.n


def from_a_thread() -> None:
    counter = Counter()

    def parent() -> None:
        child = Thread(target=counter.add)
        child.start()
        counter.add()
        child.join()

    thread = Thread(target=parent)
    thread.start()
    thread.join()
    assert counter.n == 2, counter.n


def daemon() -> None:
    counter = Counter()
    threads = [Thread(target=counter.add, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.n == 2, counter.n


THREADS = {f.__name__: f for f in (subclass, timer, pool, low_level, from_a_thread, daemon)}


# -- locks --------------------------------------------------------------------------------------------------


def both(work: object) -> None:
    threads = [Thread(target=work) for _ in range(2)]  # type: ignore[arg-type]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def guarded(lock: object) -> None:
    counter = Counter()

    def work() -> None:
        with lock:  # type: ignore[attr-defined]
            counter.add()

    both(work)
    assert counter.n == 2, counter.n


def imported_name() -> None:
    guarded(Lock())


def aliased_name() -> None:
    guarded(make_lock())


def low_level_lock() -> None:
    guarded(_thread.allocate_lock())


def module_level() -> None:
    guarded(MODULE_LOCK)


def module_level_rlock() -> None:
    guarded(MODULE_RLOCK)


def module_level_condition() -> None:
    guarded(MODULE_CONDITION)


def module_level_semaphore() -> None:
    guarded(MODULE_SEMAPHORE)


def default_argument(lock: Lock = Lock()) -> None:  # noqa: B008 -- the default is what is tested
    guarded(lock)


class Account:
    lock = Lock()

    def __init__(self) -> None:
        self.n = 0

    def add(self) -> None:
        self.lock.acquire()
        try:
            self.n += 1
        finally:
            self.lock.release()


def class_attribute() -> None:
    account = Account()
    both(account.add)
    assert account.n == 2, account.n


def module_level_queue() -> None:
    counter = Counter()
    MODULE_QUEUE.put(None)

    def work() -> None:
        token = MODULE_QUEUE.get()
        counter.add()
        MODULE_QUEUE.put(token)

    both(work)
    assert counter.n == 2, counter.n


def module_level_simple_queue() -> None:
    counter = Counter()
    MODULE_SIMPLE_QUEUE.put(None)

    def work() -> None:
        token = MODULE_SIMPLE_QUEUE.get()
        counter.add()
        MODULE_SIMPLE_QUEUE.put(token)

    both(work)
    assert counter.n == 2, counter.n


LOCKS = {
    f.__name__: f
    for f in (
        imported_name, aliased_name, low_level_lock, module_level, module_level_rlock, module_level_condition,
        module_level_semaphore, default_argument, class_attribute, module_level_queue, module_level_simple_queue,
    )
}  # fmt: skip


# -- locks acquired in both orders ---------------------------------------------------------------------------


def crossed(one: Lock, other: Lock) -> None:
    def forwards() -> None:
        with one, other:
            pass

    def backwards() -> None:
        with other, one:
            pass

    threads = [Thread(target=forwards), Thread(target=backwards)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def two_from_the_module() -> None:
    crossed(MODULE_LOCK, OTHER_LOCK)


def one_from_the_module() -> None:
    crossed(MODULE_LOCK, Lock())


def two_as_defaults(one: Lock = Lock(), other: Lock = Lock()) -> None:  # noqa: B008 -- the default is what is tested
    crossed(one, other)


CROSSED = {f.__name__: f for f in (two_from_the_module, one_from_the_module, two_as_defaults)}
