"""A step that looks at several attributes of an object at once, against writes to each of them."""

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


LOOKS = {
    "copy": (Point, lambda point: both(copy.copy(point))),
    "deepcopy": (Point, lambda point: both(copy.deepcopy(point))),
    "slots": (Slotted, lambda point: both(copy.copy(point))),
    "pickle": (Point, lambda point: both(pickle.loads(pickle.dumps(point)))),
    "replace": (Point, lambda point: both(replace(point))),
    "asdict": (Point, lambda point: tuple(asdict(point).values())),
    "astuple": (Point, lambda point: astuple(point)),  # by its name: not through a variable
}


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("scheduler", ["reachability", "exhaustive"])
def test_between_any_two_of_the_writes(name, scheduler):
    """The step says only what it looks at first; before, between and after the two writes are three orders."""
    kind, look = LOOKS[name]
    seen = set()

    def scenario():
        point = kind()
        found = []
        threads = [threading.Thread(target=point.move), threading.Thread(target=lambda: found.append(look(point)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seen.add(found[0])

    assert raddle.explore(scenario, source=[__file__], scheduler=scheduler, until="exhausted").exhausted
    assert seen == {(0, 0), (1, 0), (1, 1)}
