"""A reusable latch that opens when all parties have arrived."""

import threading

from raddle_lab.subjects import together


class Latch:
    def __init__(self, parties):
        self.lock = threading.Lock()
        self.parties = parties
        self.arrived = 0
        self.rounds = 0
        self.opened = threading.Event()

    def arrive(self):
        with self.lock:
            self.arrived += 1
            if self.arrived == self.parties:
                self.rounds += 1
                self.opened.set()

    def leave(self):
        with self.lock:
            self.arrived -= 1
            if self.arrived == 0:
                self.opened.clear()

    def state(self):
        with self.lock:
            return self.opened.is_set(), self.parties - self.arrived


def scenario():
    latch = Latch(3)
    seen = []

    def party():
        latch.arrive()
        latch.opened.wait()
        latch.leave()

    def guest():
        latch.arrive()
        seen.append(latch.state())

    together(party, party, guest)
    latch.leave()
    assert latch.arrived == 0
    assert latch.rounds == 1
    assert not latch.opened.is_set()
    assert all(is_open or missing for is_open, missing in seen)
