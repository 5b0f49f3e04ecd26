"""Programs that pass a shared container to code without probes. Each program notes what it observes."""

from __future__ import annotations

import bisect
import collections
import copy
import heapq
import itertools
import json
import operator
import random
import threading
from collections.abc import Callable
from heapq import heappop

Note = Callable[[object], object]


def side_by_side(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def popped_twice(note: Note) -> None:
    heap = [1]

    def take() -> None:
        if heap:
            try:
                note(heapq.heappop(heap))
            except IndexError:
                note("too late")

    side_by_side(take, take)


def popped_twice_by_name(note: Note) -> None:
    heap = [1]

    def take() -> None:
        if heap:
            try:
                note(heappop(heap))
            except IndexError:
                note("too late")

    side_by_side(take, take)


def pushed_between(note: Note) -> None:
    heap: list[int] = []
    side_by_side(lambda: heapq.heappush(heap, 1), lambda: note(len(heap)))


def dumped(note: Note) -> None:
    both = {"a": 0, "b": 0}

    def count() -> None:
        both["a"] += 1
        both["b"] += 1

    side_by_side(count, lambda: note(json.dumps(both)))


def copied(note: Note) -> None:
    both = [0, 0]

    def count() -> None:
        both[0] += 1
        both[1] += 1

    side_by_side(count, lambda: note(tuple(copy.copy(both))))


def counted(note: Note) -> None:
    words = ["a"]
    side_by_side(lambda: words.append("b"), lambda: note(len(collections.Counter(words))))


def joined(note: Note) -> None:
    words = ["a"]
    side_by_side(lambda: words.append("b"), lambda: note("".join(words)))


def added_by_operators(note: Note) -> None:
    box = {"n": 0}

    def add() -> None:
        operator.setitem(box, "n", operator.getitem(box, "n") + 1)

    side_by_side(add, add)
    note(box["n"])


def inserted_in_order(note: Note) -> None:
    numbers = [2]
    side_by_side(lambda: bisect.insort(numbers, 1), lambda: note(bisect.bisect(numbers, 2)))


def chosen_from(note: Note) -> None:
    numbers = [1]

    def choose() -> None:
        try:
            note(random.choice(numbers))
        except IndexError:
            note("nothing there")

    side_by_side(numbers.clear, choose)


def shuffled(note: Note) -> None:
    """Read a list twice. Note whether the first read saw the initial order and the second saw another order."""
    numbers = [1, 2, 3]

    def look() -> None:
        first = tuple(numbers)
        note("shuffled between" if first == (1, 2, 3) and tuple(numbers) != first else "")

    def mix() -> None:
        random.seed(1)
        random.shuffle(numbers)

    side_by_side(mix, look)


def chained(note: Note) -> None:
    """`itertools.chain` reads its lists lazily, one after the other."""
    first, second = [1], [2]

    def add() -> None:
        first.append(3)
        second.append(4)

    side_by_side(add, lambda: note(tuple(itertools.chain(first, second))))


def two_at_once(note: Note) -> None:
    """`max` reads both lists in one step."""
    first, second = [1], [2]

    def change() -> None:
        first[0] = 5
        second[0] = 6

    side_by_side(change, lambda: note(tuple(max(first, second))))


PROGRAMS: dict[Callable[[Note], None], set[object]] = {
    popped_twice: {1, "too late"},
    popped_twice_by_name: {1, "too late"},
    pushed_between: {0, 1},
    dumped: {'{"a": 0, "b": 0}', '{"a": 1, "b": 0}', '{"a": 1, "b": 1}'},
    copied: {(0, 0), (1, 0), (1, 1)},
    counted: {1, 2},
    joined: {"a", "ab"},
    added_by_operators: {1, 2},
    inserted_in_order: {1, 2},  # the index after 2 in [2] and in [1, 2]
    chosen_from: {1, "nothing there"},
    shuffled: {"", "shuffled between"},
    # The items 3 and 4 may both be present, or only one of them, or neither. Only 3 is missing if both were added
    # between the reads of the first and the second list.
    chained: {(1, 2), (1, 3, 2), (1, 2, 4), (1, 3, 2, 4)},
    two_at_once: {(2,), (5,), (6,)},  # the maximum of [1] and [2], of [5] and [2], of [5] and [6]
}
