"""A daemon thread can be stopped at any point, when the main thread ends."""

import threading


class Clock:
    def __init__(self):
        self.ticks = 0

    def run(self):
        for _ in range(3):
            self.ticks += 1


def scenario():
    clock = Clock()
    threading.Thread(target=clock.run, daemon=True).start()
    assert clock.ticks <= 3
