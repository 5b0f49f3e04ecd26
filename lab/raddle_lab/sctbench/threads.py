"""Starts and joins the threads of a program."""

import threading


def together(*bodies):
    """Start a thread for each function, in the given order, then wait for all threads to end."""
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
