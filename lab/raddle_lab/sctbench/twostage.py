"""An update in two stages, each under its own lock.

A reader that runs between the stages of the first writer sees the first value without the second. The more threads
write, the rarer this is, because the reader must run before any of them reaches its second stage.
"""

import threading

from raddle_lab.sctbench.threads import together


class Stages:
    def __init__(self):
        self.first_lock = threading.Lock()
        self.second_lock = threading.Lock()
        self.first = 0
        self.second = 0

    def write(self):
        with self.first_lock:
            self.first = 1
        with self.second_lock:
            self.second = self.first + 1

    def read(self):
        with self.first_lock:
            if self.first == 0:
                return
            first = self.first
        with self.second_lock:
            second = self.second
        assert second == first + 1


def twostage(*, writers, readers):
    """Run the program with any number of threads."""
    stages = Stages()
    together(*[stages.write] * writers, *[stages.read] * readers)


def scenario():
    twostage(writers=1, readers=1)
