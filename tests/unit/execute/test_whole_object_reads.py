"""A step that reads several attributes of an object at once conflicts with writes to each of them."""

from __future__ import annotations

import copy
import pickle
import threading
from dataclasses import asdict, astuple, dataclass, replace

import pytest

import raddle


@dataclass
class Point:
    x: int = 0
    y: int = 0

    def move(self):
        self.x = 1
        self.y = 1


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self):
        self.x = self.y = 0

    def move(self):
        self.x = 1
        self.y = 1


def both(point):
    return point.x, point.y


READS = {
    "copy": (Point, lambda point: both(copy.copy(point))),
    "deepcopy": (Point, lambda point: both(copy.deepcopy(point))),
    "slots": (Slotted, lambda point: both(copy.copy(point))),
    "pickle": (Point, lambda point: both(pickle.loads(pickle.dumps(point)))),
    "replace": (Point, lambda point: both(replace(point))),
    "asdict": (Point, lambda point: tuple(asdict(point).values())),
    "astuple": (Point, lambda point: astuple(point)),  # called by name, not through the variable `read`
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_a_whole_object_read_can_happen_between_any_two_writes(name, scheduler):
    """The read can come before, between or after the two writes. The read's step names only the first attribute."""
    kind, read = READS[name]
    seen = set()

    def scenario():
        point = kind()
        found = []
        threads = [threading.Thread(target=point.move), threading.Thread(target=lambda: found.append(read(point)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seen.add(found[0])

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {(0, 0), (1, 0), (1, 1)}
