"""A daemon thread that is never joined may or may not have written before the main thread reads."""

import threading

EXPECTED = "assertion"


class Box:
    def __init__(self):
        self.full = False

    def fill(self):
        self.full = True


def scenario():
    box = Box()
    threading.Thread(target=box.fill, daemon=True).start()
    assert not box.full
