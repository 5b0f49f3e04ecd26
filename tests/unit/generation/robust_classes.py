"""Classes that misbehave, for the tests of supervision. Most of them lose updates in `add`."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import socket
import subprocess
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


class ClosesFiles(Counter):
    def close_all(self):
        os.closerange(3, 1000)


class Deletes(Counter):
    """Changes files at a place of its own choice."""

    FOLDER = ""

    def _path(self):
        return os.path.join(self.FOLDER, "notes.txt")

    def read(self):
        with open(self._path()) as file:
            return file.read()

    def remove(self):
        os.remove(self._path())

    def overwrite(self):
        with open(self._path(), "w") as file:
            file.write("x")

    def move_away(self):
        os.replace(self._path(), "elsewhere")

    def remove_all(self):
        shutil.rmtree(self.FOLDER)

    def leave(self):
        os.chdir(self.FOLDER)
        os.remove("notes.txt")


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


class Shared:
    """Only `add` does not hold the lock all the time."""

    def __init__(self):
        self._lock = threading.Lock()
        self.n = 0

    def add(self):
        with self._lock:
            n = self.n
        with self._lock:
            self.n = n + 1
        return n

    def set_0(self):
        with self._lock:
            self.n = 10

    def set_1(self):
        with self._lock:
            self.n = 11

    def set_2(self):
        with self._lock:
            self.n = 12

    def set_3(self):
        with self._lock:
            self.n = 13

    def set_4(self):
        with self._lock:
            self.n = 14

    def set_5(self):
        with self._lock:
            self.n = 15

    def set_6(self):
        with self._lock:
            self.n = 16

    def set_7(self):
        with self._lock:
            self.n = 17

    def set_8(self):
        with self._lock:
            self.n = 18

    def set_9(self):
        with self._lock:
            self.n = 19


class Unlocked:
    """All methods lack a lock."""

    def __init__(self):
        self.n = 0

    def add_0(self):
        n = self.n
        self.n = n + 1
        return n

    def add_1(self):
        n = self.n
        self.n = n + 2
        return n

    def add_2(self):
        n = self.n
        self.n = n + 3
        return n

    def add_3(self):
        n = self.n
        self.n = n + 4
        return n

    def add_4(self):
        n = self.n
        self.n = n + 5
        return n

    def add_5(self):
        n = self.n
        self.n = n + 6
        return n

    def add_6(self):
        n = self.n
        self.n = n + 7
        return n

    def add_7(self):
        n = self.n
        self.n = n + 8
        return n

    def add_8(self):
        n = self.n
        self.n = n + 9
        return n


class Signals(Counter):
    """Signal 0 has no effect, so the test is harmless even if a signal is sent."""

    def everyone(self):
        os.kill(-1, 0)

    def parent(self):
        os.kill(os.getppid(), 0)

    def own_group(self):
        os.killpg(0, 0)

    def itself(self):
        os.kill(os.getpid(), 0)


class Programs(Counter):
    def shell(self):
        os.system("true")

    def program(self):
        subprocess.run(["true"], check=False)


class BreaksImports(Counter):
    """After `forget`, the process cannot even report what has happened."""

    def forget(self):
        sys.modules.clear()


class KeepsFilesOpen(Counter):
    """Its objects are in reference cycles, so their files stay open until garbage is collected."""

    def __init__(self):
        super().__init__()
        self._itself = self
        self._files = [open(os.devnull, "rb") for _ in range(16)]  # noqa: SIM115


class NeverClosesFiles(Counter):
    """Its files stay open as long as the process lives."""

    def __init__(self):
        super().__init__()
        self._files = [os.dup(0) for _ in range(16)]
