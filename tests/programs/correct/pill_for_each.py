"""Each worker gets its own poison pill, which makes it stop."""

import queue
import threading


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    jobs, done = queue.Queue(), queue.Queue()
    for job in (1, None, None):
        jobs.put(job)

    def work():
        while (job := jobs.get()) is not None:
            done.put(job)

    side_by_side(work, work)
    assert done.qsize() == 1
