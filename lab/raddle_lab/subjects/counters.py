"""Named counters."""

import threading

from raddle_lab.subjects import together


class Counters:
    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.total = 0

    def add(self, name):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1
            self.total += 1

    def drop(self, name):
        with self.lock:
            self.total -= self.counts.pop(name, 0)

    def move(self, old, new):
        with self.lock:
            moved = self.counts.pop(old, 0)
            self.counts[new] = self.counts.get(new, 0) + moved

    def consistent(self):
        with self.lock:
            return self.total == sum(self.counts.values())


def scenario():
    counters = Counters()
    seen = []

    def adder():
        counters.add("a")
        counters.add("b")
        counters.add("a")

    def mover():
        counters.move("a", "b")
        counters.add("b")
        counters.drop("b")

    def auditor():
        seen.append(counters.consistent())
        seen.append(counters.consistent())

    together(adder, mover, auditor)
    assert all(seen)
    assert counters.consistent()
