"""Two kinds of users share a resource, and two locks are acquired in opposite orders.

Each kind counts its users under the counters' lock. The threads deadlock if one user holds the resource and needs the
counters' lock while another holds that lock and needs the resource. The Java version polls the lock and raises an
exception when it detects this state. Here the threads simply block.
"""

import threading

from raddle_lab.sctbench.threads import together


class Users:
    """The users of one kind: the first to arrive acquires the resource, and the last to leave releases it."""

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
    """Do nothing. Two of the four threads run this function."""


def scenario():
    counters_lock, resource = threading.Lock(), threading.Lock()
    some, others = Users(counters_lock, resource), Users(counters_lock, resource)
    together(some.visit, others.visit, idle, idle)
