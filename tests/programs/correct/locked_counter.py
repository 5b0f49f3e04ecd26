"""Every increment of the counter is protected by the lock."""

import threading


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.value = 0

    def add(self):
        with self.lock:
            self.value += 1


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    counter = Counter()
    side_by_side(counter.add, counter.add, counter.add)
    assert counter.value == 3
