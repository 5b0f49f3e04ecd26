"""A timer expires just as the worker finishes."""

import threading
import time

EXPECTED = "assertion"


class Job:
    def __init__(self):
        self.state = "running"


def scenario():
    job = Job()

    def expire():
        if job.state == "running":
            job.state = "expired"

    def work():
        time.sleep(5)
        if job.state == "running":
            job.state = "done"

    timer = threading.Timer(5, expire)
    worker = threading.Thread(target=work)
    timer.start()
    worker.start()
    worker.join()
    seen = job.state
    timer.join()
    assert job.state == seen
