"""Programs that each end in a different way. Numbered comments mark the lines that the tests expect in outcomes."""

from __future__ import annotations

import os
import random
import socket
import threading
from collections.abc import Callable

calls: list[int] = []  # state that survives an execution


class Box:
    def __init__(self) -> None:
        self.n = 0
        self.stop = False


def side_by_side(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def crossed_locks() -> None:
    first, second = threading.Lock(), threading.Lock()

    def one() -> None:
        with first:  # noqa: SIM117 -- tests need separate lines  # 1: acquires the first lock
            with second:  # 2: requests the second lock
                pass

    def other() -> None:
        with second:  # noqa: SIM117 -- tests need separate lines  # 3: acquires the second lock
            with first:  # 4: requests the first lock
                pass

    side_by_side(one, other)


def own_lock_twice() -> None:
    lock = threading.Lock()
    lock.acquire()  # 5: acquires the lock
    lock.acquire()  # 6: requests the lock again


def forgotten_event() -> None:
    threading.Event().wait()


def too_early() -> None:
    box, changed = Box(), threading.Condition()

    def wait() -> None:
        with changed:
            changed.wait()  # 7: waits forever

    def notify() -> None:
        with changed:
            box.stop = True
            changed.notify()

    side_by_side(notify, wait)


def polite_pair() -> None:
    box = Box()

    def one() -> None:
        while box.n != 1:  # 8: loops forever
            if box.stop:
                box.n = 0

    def other() -> None:
        while box.n != 2:  # 9: loops forever
            if box.stop:
                box.n = 0

    side_by_side(one, other)


def blocks_outside() -> None:
    left, right = socket.socketpair()
    with left, right:
        right.recv(1)  # 10: no data is ever sent


def waits_for_a_real_thread(thread: threading.Thread) -> Callable[[], None]:
    def scenario() -> None:
        thread.join()

    return scenario


def forks() -> None:
    os.fork()


# raddle restores the generators that an execution creates, but not this one, which exists before.
chance = random.Random()


def by_chance() -> None:
    box = Box()

    def work() -> None:
        if chance.random() < 0.5:
            box.n += 1  # 11: runs with probability 1/2
        else:
            box.stop = True  # 12: runs with probability 1/2

    side_by_side(*[work] * 20)


def grows() -> None:
    calls.append(1)

    def work() -> None:
        for _ in range(len(calls)):
            calls.count(1)

    side_by_side(work)


def fails_the_second_time() -> None:
    calls.append(1)
    assert len(calls) == 1


def cached() -> None:
    if not calls:
        calls.append(1)  # only in the first execution
    side_by_side(lambda: calls.count(1))


def reset() -> None:
    calls.clear()


def daemon_left_waiting() -> None:
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()


def raises_in_a_thread() -> None:
    def work() -> None:
        raise KeyError("gone")  # 13: raised here

    side_by_side(work)


def leaves_with_exit() -> None:
    raise SystemExit(3)
