"""`functools.cache` is not a lock: two threads find the cache empty, and each creates an instance of the singleton."""

import functools
import threading

EXPECTED = "assertion"


class Config:
    pass


@functools.cache
def config():
    return Config()


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    config.cache_clear()
    got = [None, None]

    def first():
        got[0] = config()

    def second():
        got[1] = config()

    side_by_side(first, second)
    assert got[0] is got[1]
