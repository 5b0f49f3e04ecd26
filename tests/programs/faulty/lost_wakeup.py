"""A thread checks the flag outside the lock, so the notification can come before the wait."""

import threading

EXPECTED = "lost-wakeup"


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Gate:
    def __init__(self):
        self.changed = threading.Condition()
        self.open = False


def scenario():
    gate = Gate()

    def enter():
        if not gate.open:
            with gate.changed:
                gate.changed.wait()

    def let_in():
        with gate.changed:
            gate.open = True
            gate.changed.notify()

    side_by_side(enter, let_in)
