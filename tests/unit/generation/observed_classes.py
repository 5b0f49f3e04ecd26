"""Classes whose bugs only the state at the end shows, and classes that misbehave at random."""

from __future__ import annotations

import threading
from random import Random

GENERATOR = Random(1)


class Tally:
    """Loses updates of a key. Each access holds the lock, but not from the read to the write."""

    def __init__(self):
        self._lock = threading.Lock()
        self._counts = {}

    def add(self, key):
        with self._lock:
            count = self._counts.get(key, 0)
        with self._lock:
            self._counts[key] = count + 1

    def total(self, key):
        """Raise a KeyError if the key was never added."""
        with self._lock:
            return self._counts[key]


class TwoTotals:
    """One method loses updates of two public attributes."""

    def __init__(self):
        self.calls = 0
        self.total = 0

    def add(self, number: int):
        self.calls += 1
        self.total += number


class Hits:
    """Loses updates of a public attribute. The getters show another variable that both threads write."""

    def __init__(self):
        self._lock = threading.Lock()
        self._items = {}
        self.hits = 0

    def put(self, key):
        with self._lock:
            self._items[key] = 1
        self.hits += 1

    def size(self):
        with self._lock:
            return len(self._items)

    def is_empty(self):
        with self._lock:
            return not self._items

    def keys(self):
        with self._lock:
            return sorted(self._items)

    def first(self):
        with self._lock:
            return min(self._items, default=None)

    def last(self):
        with self._lock:
            return max(self._items, default=None)


class FixedHits(Hits):
    """The same without the bug."""

    def put(self, key):
        with self._lock:
            self._items[key] = 1
            self.hits += 1


class Stock:
    """Has methods that must not observe: some change the object, and one can block. There is no bug."""

    def __init__(self):
        self._changed = threading.Condition()
        self.items = []
        self._closed = False

    def add(self, item):
        with self._changed:
            self.items.append(item)
            self._changed.notify_all()

    def pop_last(self):
        with self._changed:
            return self.items.pop() if self.items else None

    def wait_until_stocked(self):
        with self._changed:
            self._changed.wait_for(lambda: self.items)
            return True

    def close(self):
        with self._changed:
            self._closed = True

    def size(self):
        with self._changed:
            if self._closed:
                raise ValueError("closed")
            return len(self.items)


class Unreliable:
    """Is correct, but 2 % of its calls raise an exception at random, whatever other threads do."""

    def __init__(self):
        self._lock = threading.Lock()
        self._n = 0

    def add(self):
        with self._lock:
            self._n += 1
            return self._checked()

    def remove(self):
        with self._lock:
            self._n -= 1
            return self._checked()

    def count(self):
        with self._lock:
            return self._checked()

    def _checked(self):
        if GENERATOR.random() < 0.02:
            raise ConnectionError("the line is bad")
        return self._n
