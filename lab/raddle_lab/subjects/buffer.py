"""A bounded buffer, implemented as a ring."""

import threading

from raddle_lab.subjects import together

SIZE = 2


class Buffer:
    def __init__(self):
        self.lock = threading.Lock()
        self.free = threading.Semaphore(SIZE)
        self.full = threading.Semaphore(0)
        self.places = [None] * SIZE
        self.put_at = 0
        self.take_at = 0
        self.inside = 0

    def put(self, item):
        self.free.acquire()
        with self.lock:
            self.places[self.put_at % SIZE] = item
            self.put_at += 1
            self.inside += 1
        self.full.release()

    def take(self):
        self.full.acquire()
        with self.lock:
            item = self.places[self.take_at % SIZE]
            self.take_at += 1
            self.inside -= 1
        self.free.release()
        return item

    def has_room(self):
        with self.lock:
            return self.put_at - self.take_at == self.inside


def scenario():
    buffer = Buffer()
    taken, fine = [], []

    def first():
        buffer.put(1)
        buffer.put(2)

    def second():
        buffer.put(3)
        buffer.put(4)

    def consumer():
        taken.append(buffer.take())
        taken.append(buffer.take())
        fine.append(buffer.has_room())

    def other_consumer():
        taken.append(buffer.take())
        taken.append(buffer.take())

    together(first, second, consumer, other_consumer)
    assert sorted(taken) == [1, 2, 3, 4]
    assert fine == [True]
    assert buffer.inside == 0
