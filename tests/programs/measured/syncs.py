"""Acquires that fail immediately, acquires that time out, and reentrant acquires."""

import threading


class Shared:
    def __init__(self):
        self.lock = threading.Lock()
        self.reentrant = threading.RLock()
        self.n = 0

    def hold(self):
        with self.lock:  # plain
            self.n += 1
        with self.reentrant:  # outer
            self.n += 1
            with self.reentrant:  # inner
                self.n += 1

    def attempt(self):
        if self.lock.acquire(blocking=False):  # try
            self.n += 1
            self.lock.release()
        if self.lock.acquire(timeout=0.01):  # timed
            self.n += 1
            self.lock.release()


def scenario():
    shared = Shared()
    threads = [threading.Thread(target=shared.hold), threading.Thread(target=shared.attempt)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    scenario()
