"""Two kinds of users share a resource, each counting its own; the two locks are taken in both orders.

A user that holds the resource and comes back for the counters' lock waits for one that holds the counters' lock
and wants the resource: a deadlock. The Java version polls the lock and raises when it sees that state; here the
threads simply block.
"""

import threading

from raddle_lab.sctbench.threads import together


class Users:
    """Of one kind: the first to come takes the resource, the last to go gives it back."""

    def __init__(self, counters_lock, resource):
        self.counters_lock = counters_lock
        self.resource = resource
        self.present = 0

    def visit(self):
        with self.counters_lock:
            self.present += 1
            if self.present == 1:
                self.resource.acquire()
        with self.counters_lock:
            self.present -= 1
            if self.present == 0:
                self.resource.release()


def idle():
    """Two of the four threads have nothing to do."""


def scenario():
    counters_lock, resource = threading.Lock(), threading.Lock()
    some, others = Users(counters_lock, resource), Users(counters_lock, resource)
    together(some.visit, others.visit, idle, idle)
