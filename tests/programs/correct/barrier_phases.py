"""A barrier ensures that no thread reads before all threads have written."""

import threading


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    barrier = threading.Barrier(2)
    written = [0, 0]

    def work(own, other):
        written[own] = 1
        barrier.wait()
        assert written[other] == 1

    side_by_side(lambda: work(0, 1), lambda: work(1, 0))
