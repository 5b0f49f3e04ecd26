"""A daemon that nobody waits for dies, if it comes to it before everything ends."""

import threading

EXPECTED = "exception"


def give_up():
    raise ValueError


def scenario():
    threading.Thread(target=give_up, daemon=True).start()
