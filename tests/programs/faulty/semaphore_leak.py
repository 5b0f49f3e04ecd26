"""A worker that finds no job returns without releasing its permit."""

import threading

EXPECTED = "deadlock"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    permits = threading.Semaphore(1)
    jobs = ["job"]

    def work():
        permits.acquire()
        if not jobs:
            return
        jobs.pop()
        permits.release()

    side_by_side(work, work, work)
