"""Failures whose simplest schedules can be told by hand; `test_shrink` does so."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Box:
    def __init__(self) -> None:
        self.x = 0
        self.noise = 0


def side_by_side(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_turns() -> None:
    """One thread has to see two values of the other's."""
    box = Box()

    def write() -> None:
        box.noise += 1
        box.x = 1
        box.x = 2  # 1: stopped here
        box.noise += 1

    def read() -> None:
        box.noise += 1
        first = box.x
        second = box.x  # 2: stopped here
        if (first, second) == (1, 2):
            raise ValueError("in turns")

    side_by_side(write, read)


def in_order() -> None:
    """The second thread has to come first: no preemption is needed."""
    box = Box()

    def late() -> None:
        box.noise += 1
        if box.x:
            raise ValueError("late")

    def early() -> None:
        box.noise += 1
        box.x = 1

    side_by_side(late, early)


def in_the_first_round() -> None:
    """Any round of the loop will do."""
    box = Box()

    def work() -> None:
        for _ in range(4):
            box.x += 1  # 3: stopped here

    side_by_side(work, work)
    assert box.x == 8


def one_of_many() -> None:
    """Any of the first five will do, and the last one."""
    box = Box()

    def write() -> None:
        box.x = 1
        box.x = 0  # 4: stopped here

    def read() -> None:
        if box.x:
            raise ValueError("half")

    side_by_side(*[write] * 5, read)


def started_in_vain() -> None:
    """The failure needs only the first thread, the main one may be stopped before it starts the others."""
    box = Box()

    def write() -> None:
        box.x = 1

    def read() -> None:
        box.noise += box.x

    first = threading.Thread(target=write)
    first.start()
    if box.x:  # 5: stopped here
        raise ValueError("so soon")
    side_by_side(read, read)
    first.join()
