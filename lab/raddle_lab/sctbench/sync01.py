"""A producer waits for a slot that is never emptied.

There is one item at the start, and the consumer does not remove it. So the producer waits forever in every schedule:
the notification comes too early, or the slot is still full when it comes. The Java version raises an exception instead
of waiting forever.
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
