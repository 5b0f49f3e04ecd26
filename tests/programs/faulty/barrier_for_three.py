"""Two threads wait at a barrier that needs three."""

import threading

EXPECTED = "deadlock"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    barrier = threading.Barrier(3)
    side_by_side(barrier.wait, barrier.wait)
