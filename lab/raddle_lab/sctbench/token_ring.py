"""Three stations pass on a value, and a fourth thread expects all of them to have the same value.

The values are the same only if the stations run in the order of the ring, which is not enforced.
"""

import threading

from raddle_lab.sctbench.threads import together


class Ring:
    def __init__(self):
        self.lock = threading.Lock()
        self.x1, self.x2, self.x3 = 1, 2, 1
        self.passed1 = self.passed2 = self.passed3 = False

    def first(self):
        with self.lock:
            self.x1 = (self.x3 + 1) % 4
            self.passed1 = True

    def second(self):
        with self.lock:
            self.x2 = self.x1
            self.passed2 = True

    def third(self):
        with self.lock:
            self.x3 = self.x2
            self.passed3 = True

    def check(self):
        with self.lock:
            if self.passed1 and self.passed2 and self.passed3:
                assert self.x1 == self.x2 == self.x3


def scenario():
    ring = Ring()
    together(ring.first, ring.second, ring.third, ring.check)
