"""One thread protects a counter with one lock, and seven threads protect it with another.

So an increment under the other lock can happen between the first thread's read and its check. The more threads use the
other lock, the more often this happens.
"""

import threading

from raddle_lab.sctbench.threads import together


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.wrong_lock = threading.Lock()
        self.value = 0

    def check(self):
        with self.lock:
            before = self.value
            self.value += 1
            assert self.value == before + 1

    def disturb(self):
        with self.wrong_lock:
            self.value += 1


def wronglock(*, right, wrong):
    """Run the program with any number of threads."""
    counter = Counter()
    together(*[counter.check] * right, *[counter.disturb] * wrong)


def scenario():
    wronglock(right=1, wrong=7)
