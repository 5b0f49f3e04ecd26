"""Two threads acquire two locks in opposite orders."""

import threading

EXPECTED = "deadlock"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    first, second = threading.Lock(), threading.Lock()

    def one():
        with first, second:
            pass

    def other():
        with second, first:
            pass

    side_by_side(one, other)
