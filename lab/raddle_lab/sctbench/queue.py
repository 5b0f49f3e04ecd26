"""Two threads use flags to take turns at a queue, but they also count the turns they missed.

The consumer compares the value it takes with the value stored for the number of its own turn. After either side has
missed a turn while the other continued, these values no longer match.
"""

import threading

from raddle_lab.sctbench.threads import together

SIZE = 20


class Queue:
    def __init__(self):
        self.elements = [0] * SIZE
        self.head = 0
        self.tail = 0
        self.amount = 0

    def is_empty(self):
        return self.head == self.tail

    def put(self, value):
        self.elements[self.tail] = value
        self.amount += 1
        self.tail += 1

    def take(self):
        value = self.elements[self.head]
        self.amount -= 1
        self.head += 1
        return value


class Exchange:
    def __init__(self):
        self.lock = threading.Lock()
        self.queue = Queue()
        self.stored = [0] * SIZE
        self.may_put = True
        self.may_take = False

    def produce(self):
        value = 0
        with self.lock:
            self.queue.put(value)
            self.stored[0] = value
            assert not self.queue.is_empty()
        for turn in range(1, SIZE):
            with self.lock:
                if self.may_put:
                    value += 1
                    self.queue.put(value)
                    self.stored[turn] = value
                    self.may_put = False
                    self.may_take = True

    def consume(self):
        for turn in range(SIZE):
            with self.lock:
                if self.may_take:
                    assert self.queue.take() == self.stored[turn]
                    self.may_take = False
                    self.may_put = True


def scenario():
    exchange = Exchange()
    assert exchange.queue.is_empty()
    together(exchange.produce, exchange.consume)
