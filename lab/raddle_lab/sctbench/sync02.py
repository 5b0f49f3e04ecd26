"""Two items at the start are too many for a slot that holds one.

The consumer takes two items and ends. The producer adds one, then waits forever for its second turn, in every schedule.
The program follows the original C version. The Java version lacks braces, so its consumer also waits while there are
items. It raises an exception instead of waiting forever.
"""

import threading

from raddle_lab.sctbench.threads import together

TURNS = 2


class Slot:
    def __init__(self):
        lock = threading.Lock()
        self.empty = threading.Condition(lock)
        self.full = threading.Condition(lock)
        self.items = 2

    def produce(self):
        for _ in range(TURNS):
            with self.empty:
                while self.items > 0:
                    self.empty.wait()
                self.items += 1
                self.full.notify()

    def consume(self):
        for _ in range(TURNS):
            with self.full:
                while self.items == 0:
                    self.full.wait()
                self.items -= 1
                self.empty.notify()


def scenario():
    slot = Slot()
    together(slot.produce, slot.consume)
