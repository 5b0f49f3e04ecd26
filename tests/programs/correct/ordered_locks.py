"""Both threads acquire the locks in the same order."""

import threading


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    first, second = threading.Lock(), threading.Lock()

    def work():
        with first, second:
            pass

    side_by_side(work, work, work)
