"""A thread iterates over a dict while another thread inserts a key."""

import threading

EXPECTED = "exception"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    users = {"ann": 1, "bob": 2}

    def count():
        total = 0
        for name in users:
            total += len(name)

    def add():
        users["cleo"] = 3

    side_by_side(count, add)
