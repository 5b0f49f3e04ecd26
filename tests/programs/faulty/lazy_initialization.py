"""Two threads both find that no instance exists yet, and each creates its own."""

import threading

EXPECTED = "assertion"


class Registry:
    instance = None

    @classmethod
    def get(cls):
        if cls.instance is None:
            cls.instance = cls()
        return cls.instance


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    Registry.instance = None
    got = [None, None]

    def first():
        got[0] = Registry.get()

    def second():
        got[1] = Registry.get()

    side_by_side(first, second)
    assert got[0] is got[1]
