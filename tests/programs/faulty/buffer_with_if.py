"""A woken consumer does not check the buffer again, although another consumer may have taken the item."""

import threading

EXPECTED = "exception"


class Buffer:
    def __init__(self):
        self.changed = threading.Condition()
        self.items = []

    def put(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify()

    def get(self):
        with self.changed:
            if not self.items:
                self.changed.wait()
            return self.items.pop()


def side_by_side(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def scenario():
    buffer = Buffer()

    def produce():
        buffer.put(1)
        buffer.put(2)

    side_by_side(buffer.get, buffer.get, produce)
