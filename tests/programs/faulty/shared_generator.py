"""Two threads call `next` on the same generator."""

import threading

EXPECTED = "exception"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Source:
    def __init__(self):
        self.given = 0


def scenario():
    source = Source()

    def numbers():
        while True:
            source.given += 1
            yield source.given

    ticket = numbers()
    side_by_side(lambda: next(ticket), lambda: next(ticket))
