"""Small classes that look thread-safe, for the tests of test generation."""

from __future__ import annotations

import threading
from collections import OrderedDict


class Threshold:
    """Fig. 1 of the MAPTest paper. `set_threshold(None)` between the two reads raises an AttributeError."""

    def __init__(self) -> None:
        self.th = None

    def is_as_severe_as_threshold(self, priority):
        return (self.th is None or
                priority.is_at_least(self.th))  # fmt: skip

    def set_threshold(self, threshold):
        self.th = threshold


class Priority:
    def __init__(self, level):
        self.level = level

    def is_at_least(self, other):
        return self.level >= other.level


class Locked:
    """A counter whose every access holds the lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.n = 0

    def add(self):
        with self.lock:
            old = self.n
            self.n = old + 1
            return old

    def get(self):
        with self.lock:
            return self.n


class Base:
    def __init__(self) -> None:
        self.inherited = 0


class Range:
    def __init__(self) -> None:
        self.lower = 0

    def move(self):
        self.lower = 1


class Axis(Base):
    """Uses its own, inherited and dereferenced variables, some of them in helpers."""

    def __init__(self) -> None:
        super().__init__()
        self.range = Range()
        self.own = 0

    def shift(self):
        self._helper()
        self.range.move()

    def _helper(self):
        self.own = self.inherited

    def rename(self):
        self.inherited = 2

    @property
    def position(self):
        return self.range.lower

    def read_property(self):
        return self.position


class Node:
    """A class whose `equals` locks both objects, in the order in which they are compared."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.value = 0

    def equals(self, other):
        with self.lock, other.lock:
            return self.value == other.value


class Exits:
    """A class whose methods misbehave in ways that only native runs show."""

    def fail(self):
        raise LookupError("always")

    def nested(self):
        return self.quiet()

    def quiet(self):
        return None

    def forever(self):
        threading.Event().wait()


class Pair:
    """Two fields that are always written together."""

    def __init__(self) -> None:
        self.left = self.right = 0

    def set_both(self, value):
        self.left = value
        self.right = value

    def get_both(self):
        return self.left, self.right


class Counted:
    """Items and their number. A thread between the two statements of `shrink` makes the number wrong."""

    def __init__(self) -> None:
        self.items = (1, 2, 3)
        self.count = 3

    def shrink(self):
        count = self.count
        self.items = self.items[:-1]
        self.count = count - 1

    def last(self):
        return self.items[self.count - 1] if self.count else None


class Guarded:
    """Two fields; every method holds the lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.left = self.right = 0

    def swap(self):
        with self.lock:
            self.left, self.right = self.right, self.left

    def reset(self):
        with self.lock:
            self.left = 1
            self.right = 2


class Queued(OrderedDict):
    def touch(self, key):
        self[key] = 1


class Holder:
    """The source does not show that the attribute holds a container."""

    def __init__(self):
        self._queued = Queued()

    def put(self, key):
        self._queued.touch(key)
        return list(self._queued.items())

    def pop(self):
        return self._queued.popitem()


class Meeting:
    """Two threads that call `meet` are in it at the same time."""

    def __init__(self) -> None:
        self._barrier = threading.Barrier(2)
        self._count = 0

    def meet(self):
        self._barrier.wait()
        self._count += 1
