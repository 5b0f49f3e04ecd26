"""A readers-writer lock, and a table that it protects."""

import threading

from raddle_lab.subjects import together


class ReadWriteLock:
    def __init__(self):
        self.lock = threading.Lock()
        self.free = threading.Semaphore(1)
        self.readers = 0

    def begin_read(self):
        with self.lock:
            self.readers += 1
            if self.readers == 1:
                self.free.acquire()

    def end_read(self):
        with self.lock:
            self.readers -= 1
            if self.readers == 0:
                self.free.release()

    def begin_write(self):
        self.free.acquire()

    def end_write(self):
        self.free.release()


class Table:
    def __init__(self):
        self.guard = ReadWriteLock()
        self.count_lock = threading.Lock()
        self.left = 0
        self.right = 0
        self.reads = 0

    def write(self):
        self.guard.begin_write()
        self.left += 1
        self.right += 1
        self.guard.end_write()

    def read(self):
        self.guard.begin_read()
        same = self.left == self.right
        self.guard.end_read()
        with self.count_lock:
            self.reads += 1
        return same


def scenario():
    table = Table()
    seen = []

    def writer():
        table.write()
        table.write()

    def reader():
        seen.append(table.read())
        seen.append(table.read())

    def other_reader():
        seen.append(table.read())

    together(writer, reader, other_reader)
    assert all(seen)
    assert table.reads == 3
    assert table.guard.readers == 0
    assert table.left == table.right == 2
