"""A sum comes out as it should, and the program claims that it never does.

The handover between producer and consumer is right; the last assertion is the wrong way round, so every schedule
fails.
"""

import threading

from raddle_lab.sctbench.threads import together

ITEMS = 3


class Progression:
    def __init__(self):
        lock = threading.Lock()
        self.empty = threading.Condition(lock)
        self.full = threading.Condition(lock)
        self.items = 0
        self.total = 0
        self.done = False

    def produce(self):
        for _ in range(ITEMS):
            with self.empty:
                while self.items > 0:
                    self.empty.wait()
                self.items += 1
                self.full.notify()

    def consume(self):
        for number in range(ITEMS):
            with self.full:
                while self.items == 0:
                    self.full.wait()
                self.total += number
                self.items -= 1
                self.empty.notify()
        self.total += ITEMS
        self.done = True


def scenario():
    progression = Progression()
    together(progression.produce, progression.consume)
    if progression.done:
        assert progression.total != ITEMS * (ITEMS + 1) // 2
