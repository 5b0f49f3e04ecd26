"""A sender and a receiver use flags to take turns, but also count the turns they missed.

Each loop counts a turn even if the flag did not allow the thread to act. So after a missed turn, the receiver compares
an element with the wrong number.
"""

import threading

from raddle_lab.sctbench.threads import together

CAPACITY = 10
TURNS = 7


class Buffer:
    def __init__(self):
        self.lock = threading.Lock()
        self.slots = [None] * CAPACITY
        self.first = 0
        self.next = 0
        self.may_send = True
        self.may_receive = False

    def insert(self, value):
        self.slots[self.next] = value
        self.next = (self.next + 1) % CAPACITY

    def remove(self):
        if self.next == 0 or self.first >= CAPACITY:
            return None
        self.first += 1
        return self.slots[self.first - 1]

    def send(self):
        for turn in range(TURNS):
            with self.lock:
                if self.may_send:
                    self.insert(turn)
                    self.may_send = False
                    self.may_receive = True

    def receive(self):
        for turn in range(TURNS):
            with self.lock:
                if self.may_receive:
                    assert self.remove() == turn
                    self.may_receive = False
                    self.may_send = True


def scenario():
    buffer = Buffer()
    together(buffer.send, buffer.receive)
