"""Ways for an execution to end, one program each."""

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
        with first:  # noqa: SIM117 -- told apart by line  # 1: takes the first
            with second:  # 2: wants the second
                pass

    def other() -> None:
        with second:  # noqa: SIM117 -- told apart by line  # 3: takes the second
            with first:  # 4: wants the first
                pass

    side_by_side(one, other)


def own_lock_twice() -> None:
    lock = threading.Lock()
    lock.acquire()  # 5: takes it
    lock.acquire()  # 6: wants it again


def forgotten_event() -> None:
    threading.Event().wait()


def too_early() -> None:
    box, changed = Box(), threading.Condition()

    def wait() -> None:
        with changed:
            changed.wait()  # 7: waits in vain

    def tell() -> None:
        with changed:
            box.stop = True
            changed.notify()

    side_by_side(tell, wait)


def polite_pair() -> None:
    box = Box()

    def one() -> None:
        while box.n != 1:  # 8: goes round
            if box.stop:
                box.n = 0

    def other() -> None:
        while box.n != 2:  # 9: goes round
            if box.stop:
                box.n = 0

    side_by_side(one, other)


def blocks_outside() -> None:
    left, right = socket.socketpair()
    with left, right:
        right.recv(1)  # 10: nobody ever sends


def waits_for_a_real_thread(thread: threading.Thread) -> Callable[[], None]:
    def scenario() -> None:
        thread.join()

    return scenario


def forks() -> None:
    os.fork()


def by_chance() -> None:
    box = Box()

    def work() -> None:
        if random.SystemRandom().random() < 0.5:
            box.n += 1  # 11: sometimes
        else:
            box.stop = True  # 12: else

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
        calls.append(1)  # the first execution only
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
