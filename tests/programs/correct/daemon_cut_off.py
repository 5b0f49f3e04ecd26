"""When the main thread ends, a daemon thread stops at whatever point it has reached."""

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
