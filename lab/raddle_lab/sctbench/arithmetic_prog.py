"""A sum has the correct value, and the program asserts that it does not.

The handover between producer and consumer is correct. The final assertion is inverted, so every schedule
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
