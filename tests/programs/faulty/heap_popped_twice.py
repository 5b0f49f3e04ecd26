"""Two threads see that a heap is not empty, and both pop its only item."""

import heapq
import threading

EXPECTED = "exception"


class Tasks:
    def __init__(self):
        self.heap = []

    def push(self, task):
        heapq.heappush(self.heap, task)

    def pop(self):
        if self.heap:
            return heapq.heappop(self.heap)
        return None


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    tasks = Tasks()
    tasks.push(1)
    side_by_side(tasks.pop, tasks.pop)
