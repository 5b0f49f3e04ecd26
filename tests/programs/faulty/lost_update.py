"""Two threads increment a counter, and one of the increments is lost."""

import threading

EXPECTED = "assertion"


class Counter:
    def __init__(self):
        self.value = 0

    def add(self):
        value = self.value
        self.value = value + 1


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    counter = Counter()
    side_by_side(counter.add, counter.add)
    assert counter.value == 2
