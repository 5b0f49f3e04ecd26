"""The event may be set before it is cleared, and then the wait never ends."""

import threading

EXPECTED = "lost-wakeup"


def scenario():
    done = threading.Event()
    worker = threading.Thread(target=done.set)
    worker.start()
    done.clear()
    done.wait()
    worker.join()
