"""The example class of the paper on AutoConTest (its Fig. 1), with the paper's names of methods and fields."""

from __future__ import annotations

import threading


class FigureOne:
    """Three numbers that threads may change at the same time."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.x = 0
        self.y = 0
        self.z = 0

    def m1(self, value: int) -> None:
        """Set x."""
        with self._lock:
            self.x = value

    def m2(self, value: int) -> None:
        """Set y."""
        with self._lock:
            self.y = value

    def m3(self, amount: int) -> None:
        """Add an amount to x if z is 0; otherwise subtract it."""
        if self.z == 0:
            with self._lock:
                self._m4(amount)
        else:
            self._m4(-amount)

    def _m4(self, amount: int) -> None:
        self.x = self.x + amount

    def m5(self) -> None:
        """Count z up from 0 to y."""
        for number in range(self.y + 1):
            self.z = number

    def m6(self, supplier: Supplier) -> None:
        """Set x to -1 in the object that a supplier returns."""
        other = supplier.m()
        other.m1(-1)

    def m7(self) -> None:
        """Increase y by 1."""
        with self._lock:
            self.y = self.y + 1


class Supplier:
    """Supplies one object, the same at each call."""

    def __init__(self) -> None:
        self._supplied = FigureOne()

    def m(self) -> FigureOne:
        return self._supplied
