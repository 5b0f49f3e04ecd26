"""The mean and the extremes of measured values."""

import threading

from raddle_lab.subjects import together


class Statistics:
    def __init__(self):
        self.lock = threading.Lock()
        self.count = 0
        self.sum = 0
        self.least = None
        self.most = None

    def add(self, value):
        with self.lock:
            self.count += 1
            self.sum += value
            if self.least is None or value < self.least:
                self.least = value
            if self.most is None or value > self.most:
                self.most = value

    def mean(self):
        with self.lock:
            return self.sum / self.count if self.count else None

    def spread(self):
        with self.lock:
            return 0 if self.count == 0 else self.most - self.least

    def reset(self):
        with self.lock:
            self.count = 0
            self.sum = 0
            self.least = None
            self.most = None


def scenario():
    statistics = Statistics()
    means = []

    def low():
        statistics.add(4)
        statistics.add(4)

    def high():
        statistics.add(4)
        means.append(statistics.mean())
        statistics.spread()

    def reader():
        statistics.reset()
        means.append(statistics.mean())
        statistics.spread()

    together(low, high, reader)
    assert all(mean in (None, 4) for mean in means)
    assert statistics.sum == 4 * statistics.count
    assert (statistics.count == 0) == (statistics.least is None) == (statistics.most is None)
