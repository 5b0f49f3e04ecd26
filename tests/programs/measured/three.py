"""One thread reads twice, a second thread always reads in between, and a third thread may write at any time."""

import threading


class Shared:
    def __init__(self):
        self.x = 0
        self.there = threading.Semaphore(0)
        self.back = threading.Semaphore(0)

    def a(self):
        first = self.x
        self.there.release()
        self.back.acquire()
        return first, self.x

    def b(self):
        self.there.acquire()
        between = self.x
        self.back.release()
        return between

    def c(self):
        self.x = 1


def scenario():
    shared = Shared()
    threads = [threading.Thread(target=target) for target in (shared.a, shared.b, shared.c)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    scenario()
