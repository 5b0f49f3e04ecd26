"""A rate limiter: each call takes a token, and a clock adds tokens."""

import threading

from raddle_lab.subjects import together


class RateLimiter:
    def __init__(self, most):
        self.lock = threading.Lock()
        self.most = most
        self.tokens = most
        self.allowed = 0
        self.refused = 0
        self.added = 0

    def allow(self):
        with self.lock:
            if self.tokens == 0:
                self.refused += 1
                return False
            self.tokens -= 1
            self.allowed += 1
            return True

    def tick(self):
        with self.lock:
            if self.tokens < self.most:
                self.tokens += 1
                self.added += 1

    def consistent(self):
        with self.lock:
            return self.tokens == self.most + self.added - self.allowed


def scenario():
    limiter = RateLimiter(2)
    answers, fine = [], []

    def first():
        answers.append(limiter.allow())
        answers.append(limiter.allow())

    def second():
        answers.append(limiter.allow())
        answers.append(limiter.allow())

    def clock():
        limiter.tick()
        fine.append(limiter.consistent())
        limiter.tick()

    together(first, second, clock)
    assert fine == [True]
    assert limiter.consistent()
    assert answers.count(True) == limiter.allowed
    assert answers.count(False) == limiter.refused
