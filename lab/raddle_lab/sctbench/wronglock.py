"""One thread guards a counter with one lock, seven with another.

So an increment under the other lock can come between the read and the check of the first thread. The more threads
hold the other lock in turn, the more often.
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
    """The program, for any number of threads."""
    counter = Counter()
    together(*[counter.check] * right, *[counter.disturb] * wrong)


def scenario():
    wronglock(right=1, wrong=7)
