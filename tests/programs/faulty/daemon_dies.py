"""A daemon thread that is never joined raises an exception if it runs before the main thread ends."""

import threading

EXPECTED = "exception"


def give_up():
    raise ValueError


def scenario():
    threading.Thread(target=give_up, daemon=True).start()
