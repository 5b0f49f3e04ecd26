"""Threads side by side."""

import threading


def together(*bodies):
    """Start a thread for each, in this order, then wait for all of them."""
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
