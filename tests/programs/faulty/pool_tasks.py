"""Tasks of a thread pool increment the same attribute without a lock."""

from concurrent.futures import ThreadPoolExecutor

EXPECTED = "assertion"


class Total:
    def __init__(self):
        self.value = 0

    def add(self, amount):
        self.value += amount


def scenario():
    total = Total()
    with ThreadPoolExecutor(2) as pool:
        for amount in (1, 2):
            pool.submit(total.add, amount)
    assert total.value == 3
