"""Classes that misbehave, for the tests of supervision. Most of them lose updates in `add`."""

from __future__ import annotations

import ctypes
import os
import re
import socket
import sys
import threading


class Counter:
    """Loses updates: `add` reads and writes in two steps."""

    def __init__(self):
        self._n = 0

    def add(self):
        n = self._n
        self._n = n + 1
        return n


class Crashes(Counter):
    def crash(self):
        ctypes.string_at(0)


class CrashesInConstructor:
    def __init__(self):
        ctypes.string_at(0)

    def add(self):
        return 1


class CrashesWithArgument(Counter):
    """The process dies unless the constructor is called without arguments."""

    def __init__(self, name=None):
        super().__init__()
        if name is not None:
            ctypes.string_at(0)


class EndsProcess(Counter):
    def close(self):
        os._exit(3)


class Computes(Counter):
    """`match` computes for years in C code that checks for no signals."""

    def match(self):
        return re.match(r"(a+)+$", "a" * 60 + "b")


class Loops(Counter):
    """`spin` catches the exception with which raddle ends endless calls."""

    def spin(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass


class Accepts(Counter):
    def __init__(self):
        super().__init__()
        self._server = socket.socket()
        self._server.bind(("127.0.0.1", 0))
        self._server.listen()

    def accept(self):
        return self._server.accept()


class Connects:
    def __init__(self, port=9):
        self._socket = socket.create_connection(("127.0.0.1", port))

    def add(self):
        return 1


class Exits:
    def __init__(self):
        sys.exit(7)

    def add(self):
        return 1


class Raises:
    def __init__(self):
        raise RuntimeError("never")

    def add(self):
        return 1


class Prints(Counter):
    def __init__(self):
        super().__init__()
        print("noise")
        print("noise", file=sys.stderr)
        os.write(1, b"noise\n")
        os.write(2, b"noise\n")


class Writes(Counter):
    def __init__(self, path):
        super().__init__()
        self._path = path

    def save(self):
        with open(self._path, "w") as file:
            file.write("x")

    def remove(self):
        os.remove("notes.txt")


class Starts(Counter):
    def __init__(self):
        super().__init__()
        self._thread = threading.Thread(target=self.add)
        self._thread.start()


class NeverWorks(Counter):
    def broken(self):
        raise LookupError("no such thing")


class Private:
    """The sum of two calls is lost, but no public method shows it."""

    def __init__(self):
        self._total = 0

    def add(self):
        total = self._total
        self._total = total + 1


class Coroutines:
    async def get(self):
        return 1


class Nothing:
    _value = 1


class Locked:
    """Correct."""

    def __init__(self):
        self._lock = threading.Lock()
        self._n = 0

    def add(self):
        with self._lock:
            self._n += 1
            return self._n


def _method(number):
    def method(self):
        with self._lock:
            self._n += number
            return self._n

    return method


class Many(Locked):
    """A correct class with 200 methods."""


for _number in range(199):
    _made = _method(_number)
    _made.__name__ = f"add_{_number}"
    setattr(Many, _made.__name__, _made)
