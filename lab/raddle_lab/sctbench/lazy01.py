"""A thread asserts that two other threads have not both run.

If the asserting thread runs last, both additions have been done, and the assertion fails.
"""

import threading

from raddle_lab.sctbench.threads import together


class Data:
    def __init__(self):
        self.lock = threading.Lock()
        self.value = 0

    def add_one(self):
        with self.lock:
            self.value += 1

    def add_two(self):
        with self.lock:
            self.value += 2

    def check(self):
        with self.lock:
            assert self.value < 3


def scenario():
    data = Data()
    together(data.add_one, data.add_two, data.check)
