"""Starts and joins the threads of a program."""

import threading


def together(*bodies):
    """Start a thread for each function, in this order, then wait for all of them."""
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
