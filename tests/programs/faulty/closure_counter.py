"""Two threads increment a variable of the enclosing function without a lock."""

import threading

EXPECTED = "assertion"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    count = 0

    def add():
        nonlocal count
        seen = count
        count = seen + 1

    side_by_side(add, add)
    assert count == 2
