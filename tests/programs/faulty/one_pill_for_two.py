"""Each of two workers runs until it gets a poison pill, but there is only one pill."""

import queue
import threading

EXPECTED = "deadlock"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    jobs = queue.Queue()
    jobs.put("work")
    jobs.put(None)

    def work():
        while jobs.get() is not None:
            pass

    side_by_side(work, work)
