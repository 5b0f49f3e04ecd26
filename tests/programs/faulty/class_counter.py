"""Two threads increment a class attribute without a lock."""

import threading

EXPECTED = "assertion"


class Session:
    opened = 0

    def open(self):
        Session.opened += 1


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    Session.opened = 0
    side_by_side(Session().open, Session().open)
    assert Session.opened == 2
