"""Two event loops in two threads: a value read before an `await` is stale after it."""

import asyncio
import threading

EXPECTED = "assertion"


class Counter:
    def __init__(self):
        self.value = 0

    async def add(self):
        value = self.value
        await asyncio.sleep(1)
        self.value = value + 1


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    counter = Counter()

    def work():
        asyncio.run(counter.add())

    side_by_side(work, work)
    assert counter.value == 2
