"""A thread copies the keys of a dict under a lock and then iterates over the copy."""

import threading


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    users = {"ann": 1, "bob": 2}
    lock = threading.Lock()

    def count():
        with lock:
            names = list(users)
        assert sum(len(name) for name in names) in (6, 10)

    def add():
        with lock:
            users["cleo"] = 3

    side_by_side(count, add)
