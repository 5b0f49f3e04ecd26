"""Two threads acquire two locks in opposite orders.

Each thread can hold its first lock while it waits for the other one. The Java version raises an exception when it finds
that the second lock is held. Here the threads block.
"""

import threading

from raddle_lab.sctbench.threads import together


class Counter:
    def __init__(self):
        self.a = threading.Lock()
        self.b = threading.Lock()
        self.value = 1

    def up(self):
        with self.a, self.b:
            self.value += 1

    def down(self):
        with self.b, self.a:
            self.value -= 1


def scenario():
    counter = Counter()
    together(counter.up, counter.down)
