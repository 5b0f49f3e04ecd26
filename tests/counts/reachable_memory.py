"""Small programs that share variables, classes and containers."""

from __future__ import annotations

from contextlib import suppress

from counted import Box, side_by_side


class Slotted:
    __slots__ = ("n",)

    def __init__(self) -> None:
        self.n = 0


class Limited:
    limit = 1


def store_buffering() -> None:
    box = Box()

    def one() -> None:
        box.n = 1
        box.seen = box.m

    def other() -> None:
        box.m = 1
        box.also_seen = box.n

    side_by_side(one, other)


def message_passing() -> None:
    box = Box()

    def send() -> None:
        box.n = 1
        box.ready = True

    def receive() -> None:
        if box.ready:
            box.m = box.n

    side_by_side(send, receive)


def readers_and_writer() -> None:
    box = Box()

    def read() -> int:
        return box.n

    def write() -> None:
        box.n = 1

    side_by_side(read, read, write)


def two_pairs() -> None:
    box = Box()

    def first(value: int) -> None:
        box.n = value

    def second(value: int) -> None:
        box.m = value

    side_by_side(lambda: first(1), lambda: first(2), lambda: second(1), lambda: second(2))


def two_boxes() -> None:
    boxes = [Box(), Box()]

    def write(which: int) -> None:
        boxes[which].n = 1

    side_by_side(lambda: write(0), lambda: write(1), lambda: write(0))


def slots() -> None:
    box = Slotted()

    def work() -> None:
        box.n += 1

    side_by_side(work, work)


def class_attribute() -> None:
    Limited.limit = 1
    one = Limited()

    def read() -> int:
        return one.limit

    def change() -> None:
        Limited.limit = 2

    side_by_side(read, change)


def deleted() -> None:
    box = Box()

    def remove() -> None:
        del box.n

    def read() -> None:
        with suppress(AttributeError):
            box.m = box.n

    side_by_side(remove, read)


def iterated() -> None:
    items = {"a": 1}

    def read() -> None:
        with suppress(RuntimeError):
            for _ in items:
                pass

    def add() -> None:
        items["b"] = 2

    side_by_side(read, add)


def dies() -> None:
    box = Box()

    def read() -> None:
        assert box.n == 0

    def write() -> None:
        box.n = 1
        box.n = 2

    side_by_side(read, write)


def copied_list() -> None:
    one: list[int] = []
    other: list[int] = []

    def fill() -> None:
        other.append(1)

    def copy() -> None:
        one.extend(other)

    def add() -> None:
        one.append(2)

    side_by_side(fill, copy, add)


def two_dicts() -> None:
    one: dict[str, int] = {}
    other: dict[str, int] = {}

    def work(first: dict[str, int], second: dict[str, int]) -> None:
        first["a"] = len(second)

    side_by_side(lambda: work(one, other), lambda: work(other, one))


def made_by_threads() -> None:
    found: list[Box] = []

    def make() -> None:
        box = Box()
        found.append(box)
        box.n += 1

    def use() -> None:
        if found:
            found[0].n = 5

    side_by_side(make, make, use)
