"""Classes with bugs, and how to build tests of them. The tests of export copy this file into projects of their own."""

from __future__ import annotations

import threading


class Shelf:
    """`put_if_absent` checks before it acts; `take` raises a KeyError in between."""

    def __init__(self, size=10, *, name="shelf"):
        self.size = size
        self.name = name
        self.items = {}
        self.listeners = []

    def put(self, key, value):
        self.items[key] = value

    def take(self, key):
        if key in self.items:
            return self.items.pop(key)
        return None

    def put_if_absent(self, key, value):
        if key not in self.items:
            self.items[key] = value
            return True
        return False

    def __len__(self):
        return len(self.items)

    def __getitem__(self, key):
        return self.items[key]

    def __setitem__(self, key, value):
        self.items[key] = value

    def listen(self, listener):
        self.listeners.append(listener)

    def ignore(self, listener):
        if listener in self.listeners:
            self.listeners.remove(listener)


class BankAccount:
    """`transfer` takes the locks of both accounts."""

    def __init__(self, balance=0):
        self.lock = threading.Lock()
        self.balance = balance

    def transfer(self, other, amount):
        with self.lock, other.lock:
            self.balance -= amount
            other.balance += amount


class Tally:
    """`count` reads and writes in two steps."""

    def __init__(self):
        self.total = 0

    def count(self):
        self.total = self.total + 1


class raddle(Shelf):  # noqa: N801 -- tests the names in generated tests
    """A shelf with the name of the module that generated tests import."""


class Journal(Shelf):
    """A shelf that writes a file in the working directory."""

    def take(self, key):
        with open("journal", "a") as file:
            file.write(key)
        return super().take(key)


TALLIES = []


class Listed(Tally):
    """A tally in a list of the module."""

    def __init__(self):
        if TALLIES:
            raise RuntimeError("there is one already")
        super().__init__()
        TALLIES.append(self)

    def count(self):
        TALLIES.append(len(TALLIES))


def forget_tallies():
    TALLIES.clear()


def is_counted(tally):
    return len(set(map(str, TALLIES))) == len(TALLIES)
