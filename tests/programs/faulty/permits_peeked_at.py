"""In code without probes, two threads read a semaphore's internal counter before acquiring its only permit."""

import threading

EXPECTED = "exception"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    permits = threading.Semaphore(1)

    def take():
        if permits._value > 0 and not permits.acquire(blocking=False):
            raise ValueError

    side_by_side(take, take)
