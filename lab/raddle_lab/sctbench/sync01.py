"""A producer waits for room that nobody makes.

There is one item to begin with and the consumer leaves it where it is, so the producer waits in every schedule: for
a signal that does not help, or that came before it. The Java version raises where it would wait without end.
"""

import threading

from raddle_lab.sctbench.threads import together


class Slot:
    def __init__(self):
        lock = threading.Lock()
        self.empty = threading.Condition(lock)
        self.full = threading.Condition(lock)
        self.items = 1

    def produce(self):
        with self.empty:
            while self.items > 0:
                self.empty.wait()
            self.items += 1
            self.full.notify()

    def consume(self):
        with self.full:
            while self.items == 0:
                self.full.wait()
            self.empty.notify()


def scenario():
    slot = Slot()
    together(slot.produce, slot.consume)
