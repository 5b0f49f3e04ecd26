"""Both threads take the first lock for good.

Whoever takes it a second time never gives it back, so the other one waits without end in every schedule. The Java
version raises instead of waiting.
"""

import threading

from raddle_lab.sctbench.threads import together


class Phases:
    def __init__(self):
        self.x = threading.Lock()
        self.y = threading.Lock()

    def run(self):
        with self.x:
            pass
        self.x.acquire()
        with self.y:
            pass
        with self.y:
            pass


def scenario():
    phases = Phases()
    together(phases.run, phases.run)
