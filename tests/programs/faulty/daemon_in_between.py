"""A daemon that nobody waits for may have done something by the time the main thread looks, or not."""

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
