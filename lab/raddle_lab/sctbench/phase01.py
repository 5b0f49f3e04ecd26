"""Both threads acquire the first lock twice, but release it only once.

The first thread to acquire it a second time keeps it. So the other thread waits forever, in every schedule. The Java
version raises an exception instead of waiting.
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
