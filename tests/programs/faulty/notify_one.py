"""Two threads wait for the same condition, and only one is notified."""

import threading

EXPECTED = "deadlock"


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
        with gate.changed:
            while not gate.open:
                gate.changed.wait()

    def let_in():
        with gate.changed:
            gate.open = True
            gate.changed.notify()

    side_by_side(enter, enter, let_in)
