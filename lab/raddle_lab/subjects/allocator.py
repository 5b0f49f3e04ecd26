"""An allocator of numbers that can be released and reused."""

import threading

from raddle_lab.subjects import together


class Allocator:
    def __init__(self):
        self.lock = threading.Lock()
        self.next = 0
        self.free = []
        self.used = set()

    def allocate(self):
        with self.lock:
            if self.free:
                number = self.free.pop()
            else:
                number = self.next
                self.next = number + 1
            self.used.add(number)
        return number

    def release(self, number):
        with self.lock:
            self.used.remove(number)
            self.free.append(number)

    def known(self):
        with self.lock:
            return self.next == len(self.free) + len(self.used)


def scenario():
    allocator = Allocator()
    kept, fine = [], []

    def keeper():
        kept.append(allocator.allocate())
        kept.append(allocator.allocate())

    def borrower():
        number = allocator.allocate()
        allocator.release(number)
        kept.append(allocator.allocate())

    def auditor():
        fine.append(allocator.known())
        fine.append(allocator.known())

    together(keeper, borrower, auditor)
    assert all(fine)
    assert len(set(kept)) == 3
    assert allocator.used == set(kept)
    assert allocator.known()
