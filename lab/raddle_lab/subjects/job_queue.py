"""A priority queue of jobs."""

import threading

from raddle_lab.subjects import together


class JobQueue:
    def __init__(self):
        self.lock = threading.Lock()
        self.jobs = []
        self.waiting = 0
        self.done = 0
        self.cancelled = 0

    def submit(self, priority, name):
        with self.lock:
            place = len(self.jobs)
            while place and self.jobs[place - 1][0] > priority:
                place -= 1
            self.jobs.insert(place, (priority, name))
            self.waiting += 1

    def take(self):
        with self.lock:
            if not self.waiting:
                return None
            self.waiting -= 1
            return self.jobs.pop(0)[1]

    def cancel(self, name):
        with self.lock:
            for job in self.jobs:
                if job[1] == name:
                    self.jobs.remove(job)
                    self.waiting -= 1
                    self.cancelled += 1
                    return True
            return False

    def finished(self):
        with self.lock:
            self.done += 1


def scenario():
    queue = JobQueue()
    taken = []

    def submitter():
        queue.submit(3, "c")
        queue.submit(1, "a")

    def other_submitter():
        queue.submit(2, "b")
        queue.cancel("c")

    def worker():
        for _ in range(2):
            name = queue.take()
            if name is not None:
                taken.append(name)
                queue.finished()

    together(submitter, other_submitter, worker, worker)
    assert len(set(taken)) == len(taken) == queue.done
    assert queue.waiting == len(queue.jobs) == 3 - queue.done - queue.cancelled
    assert [priority for priority, _ in queue.jobs] == sorted(priority for priority, _ in queue.jobs)
