"""A cache that computes each result only once, even if several threads request it."""

import threading

from raddle_lab.subjects import together


class Result:
    def __init__(self):
        self.ready = threading.Event()
        self.value = None


class SingleFlight:
    def __init__(self, compute):
        self.lock = threading.Lock()
        self.compute = compute
        self.results = {}
        self.waiters = 0

    def get(self, key):
        with self.lock:
            result = self.results.get(key)
            mine = result is None
            if mine:
                result = self.results[key] = Result()
        if mine:
            result.value = self.compute(key)
            result.ready.set()
        else:
            with self.lock:
                self.waiters += 1
            result.ready.wait()
        return result.value

    def forget(self, key):
        with self.lock:
            if key in self.results and self.results[key].ready.is_set():
                del self.results[key]


def scenario():
    computed, answers = [], []

    def compute(key):
        computed.append(key)
        return key * 2

    flight = SingleFlight(compute)

    def first():
        answers.append(flight.get(2))
        answers.append(flight.get(3))

    def second():
        answers.append(flight.get(2))
        flight.forget(3)

    def third():
        answers.append(flight.get(2))
        flight.forget(3)

    together(first, second, third)
    assert sorted(answers) == [4, 4, 4, 6]
    assert computed.count(2) == 1
    assert flight.waiters == 2
