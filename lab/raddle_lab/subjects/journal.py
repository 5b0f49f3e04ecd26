"""A journal that keeps the last lines of a log, numbered without gaps."""

import threading

from raddle_lab.subjects import together

LINES = 3


class Journal:
    def __init__(self):
        self.lock = threading.Lock()
        self.lines = []
        self.first = 0

    def write(self, text):
        with self.lock:
            number = self.first + len(self.lines)
            self.lines.append((number, text))
            if len(self.lines) > LINES:
                self.lines.pop(0)
                self.first += 1
            return number

    def read(self):
        with self.lock:
            return self.first, list(self.lines)

    def cut(self):
        with self.lock:
            self.first += len(self.lines)
            self.lines.clear()


def gapless(first, lines):
    return [number for number, _ in lines] == list(range(first, first + len(lines)))


def scenario():
    journal = Journal()
    numbers, seen = [], []

    def writer():
        numbers.append(journal.write("a"))
        numbers.append(journal.write("b"))

    def other_writer():
        numbers.append(journal.write("c"))
        journal.cut()
        numbers.append(journal.write("d"))

    def reader():
        seen.append(journal.read())
        seen.append(journal.read())

    together(writer, other_writer, reader)
    assert sorted(numbers) == [0, 1, 2, 3]
    assert all(gapless(*lines) for lines in [*seen, journal.read()])
