"""Scenarios whose simplest failing schedules can be derived by hand. `test_shrink` lists those schedules."""

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
    """Fails if the reader observes both values that the writer stores, which takes two preemptions."""
    box = Box()

    def write() -> None:
        box.noise += 1
        box.x = 1
        box.x = 2  # 1: preempted here
        box.noise += 1

    def read() -> None:
        box.noise += 1
        first = box.x
        second = box.x  # 2: preempted here
        if (first, second) == (1, 2):
            raise ValueError("in turns")

    side_by_side(write, read)


def in_order() -> None:
    """Fails if the second thread runs first. No preemption is needed."""
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
    """Fails if an increment is lost in any iteration of the loop."""
    box = Box()

    def work() -> None:
        for _ in range(4):
            box.x += 1  # 3: preempted here

    side_by_side(work, work)
    assert box.x == 8


def one_of_many() -> None:
    """Fails if the reader runs while any of the five writers is preempted."""
    box = Box()

    def write() -> None:
        box.x = 1
        box.x = 0  # 4: preempted here

    def read() -> None:
        if box.x:
            raise ValueError("half")

    side_by_side(*[write] * 5, read)


def started_needlessly() -> None:
    """Fails if T0 is preempted before its read. The threads that T0 starts later are not needed."""
    box = Box()

    def write() -> None:
        box.x = 1

    def read() -> None:
        box.noise += box.x

    first = threading.Thread(target=write)
    first.start()
    if box.x:  # 5: preempted here
        raise ValueError("so soon")
    side_by_side(read, read)
    first.join()
