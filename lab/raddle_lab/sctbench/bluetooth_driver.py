"""A driver is stopped while a request is entering it.

The request reads the stopping flag, and only then counts itself as pending. A stop in between finds no pending
request and frees the device, which the request then uses.
"""

import threading


class Device:
    def __init__(self):
        self.lock = threading.Lock()
        self.pending = 1
        self.stopping = False
        self.drained = False
        self.stopped = False

    def enter(self):
        if self.stopping:
            return False
        with self.lock:
            self.pending += 1
        return True

    def leave(self):
        with self.lock:
            self.pending -= 1
            pending = self.pending
        if pending == 0:
            self.drained = True

    def add(self):
        if self.enter():
            assert not self.stopped
        self.leave()

    def stop(self):
        self.stopping = True
        self.leave()
        if self.drained:
            self.stopped = True


def scenario():
    device = Device()
    stopper = threading.Thread(target=device.stop)
    stopper.start()
    device.add()
    stopper.join()
