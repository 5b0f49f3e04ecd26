"""Fig. 1 of the paper on AutoConTest, with one statement per line so that tests can name the accesses."""

from __future__ import annotations

import threading


class FigureOne:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.x = 0
        self.y = 0
        self.z = 0

    def m1(self, x: int) -> None:
        with self._lock:
            self.x = x  # a1

    def m2(self, y: int) -> None:
        with self._lock:
            self.y = y  # a2

    def m3(self, v1: int) -> None:
        if self.z == 0:  # a3
            with self._lock:
                self._m4(v1)
        else:
            self._m4(v1 * -1)  # the first bug: without the lock

    def _m4(self, v1: int) -> None:
        self.x = self.x + v1  # a4 a5

    def m5(self) -> None:
        for i in range(self.y + 1):  # a6
            self.z = i  # a7: the second bug

    def m6(self, b: Supplier) -> None:
        o = b.m()
        o.m1(-1)

    def m7(self) -> None:
        with self._lock:
            self.y = self.y + 1  # a8 a9


class Supplier:
    def __init__(self) -> None:
        self.supplied = FigureOne()

    def m(self) -> FigureOne:
        return self.supplied
