"""Closed ranges of integers."""

from __future__ import annotations

from decimal import Decimal
from zlib import crc32


class IntRange:
    """The integers from a minimum to a maximum, both included.

    A range never changes, so threads may share it. Derived values are computed when they are first needed.
    """

    def __init__(self, first: int, second: int | None = None) -> None:
        """Make the range between two numbers, given in any order, or the range of a single number."""
        if second is None:
            second = first
        self._minimum = min(first, second)
        self._maximum = max(first, second)
        self._minimum_number: Decimal | None = None
        self._maximum_number: Decimal | None = None
        self._hash = 0
        self._text: str | None = None

    def get_minimum_int(self) -> int:
        return self._minimum

    def get_maximum_int(self) -> int:
        return self._maximum

    def get_minimum_float(self) -> float:
        return float(self._minimum)

    def get_maximum_float(self) -> float:
        return float(self._maximum)

    def get_minimum_number(self) -> Decimal:
        """Return the minimum for exact calculations with fractions."""
        if self._minimum_number is None:
            self._minimum_number = Decimal(self.get_minimum_int())
        return self._minimum_number

    def get_maximum_number(self) -> Decimal:
        """Return the maximum for exact calculations with fractions."""
        if self._maximum_number is None:
            self._maximum_number = Decimal(self.get_maximum_int())
        return self._maximum_number

    def contains_int(self, value: int) -> bool:
        return self._minimum <= value <= self._maximum

    def contains_number(self, value: float | None) -> bool:
        """Return whether the integer part of a number is in the range. None is in no range."""
        return value is not None and self.contains_int(int(value))

    def contains_range(self, other: IntRange | None) -> bool:
        """Return whether every number of another range is in this one."""
        return (
            other is not None
            and self.contains_int(other.get_minimum_int())
            and self.contains_int(other.get_maximum_int())
        )

    def overlaps_range(self, other: IntRange | None) -> bool:
        """Return whether the two ranges have a number in common."""
        if other is None:
            return False
        return (
            other.contains_int(self._minimum)
            or other.contains_int(self._maximum)
            or self.contains_int(other.get_minimum_int())
        )

    def to_list(self) -> list[int]:
        """Return all numbers of the range in ascending order."""
        return list(range(self._minimum, self._maximum + 1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntRange):
            return NotImplemented
        return self._minimum == other.get_minimum_int() and self._maximum == other.get_maximum_int()

    def __hash__(self) -> int:
        if self._hash == 0:
            self._hash = 17
            self._hash = 37 * self._hash + _hash_of_text("IntRange")
            self._hash = 37 * self._hash + self.get_minimum_int()
            self._hash = 37 * self._hash + self.get_maximum_int()
        return self._hash

    def __str__(self) -> str:
        if self._text is None:
            self._text = f"Range[{self.get_minimum_int()},{self.get_maximum_int()}]"
        return self._text

    def __repr__(self) -> str:
        return f"IntRange({self._minimum}, {self._maximum})"


def _hash_of_text(text: str) -> int:
    """Return a number that is the same in every process, unlike `hash(text)`."""
    return crc32(text.encode())
