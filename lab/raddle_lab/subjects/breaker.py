"""A circuit breaker: after two failures in a row, it rejects calls until it is reset."""

import threading

from raddle_lab.subjects import together


class Breaker:
    def __init__(self):
        self.lock = threading.Lock()
        self.failures = 0
        self.open = False
        self.opened = 0
        self.refused = 0

    def failed(self):
        with self.lock:
            self.failures += 1
            if self.failures >= 2 and not self.open:
                self.open = True
                self.opened += 1

    def succeeded(self):
        with self.lock:
            if not self.open:
                self.failures = 0

    def reset(self):
        with self.lock:
            was_open = self.open
            self.open = False
            self.failures = 0
            return was_open

    def allows(self):
        with self.lock:
            if self.open:
                self.refused += 1
            return not self.open

    def consistent(self):
        with self.lock:
            return self.open == (self.failures >= 2)


def scenario():
    breaker = Breaker()
    resets, refusals, fine = [], [], []

    def failing():
        breaker.failed()
        breaker.failed()
        refusals.append(not breaker.allows())

    def healthy():
        breaker.succeeded()
        breaker.succeeded()
        refusals.append(not breaker.allows())

    def operator():
        fine.append(breaker.consistent())
        resets.append(breaker.reset())
        fine.append(breaker.consistent())

    together(failing, healthy, operator)
    assert all(fine)
    assert breaker.consistent()
    assert breaker.opened == sum(resets) + breaker.open
    assert breaker.refused == sum(refusals)
