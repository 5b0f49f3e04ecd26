"""Ranges of numbers."""

from __future__ import annotations

import math


class Range:
    """An immutable range of numbers, both bounds included."""

    __slots__ = ("_lower", "_upper")

    def __init__(self, lower: float, upper: float) -> None:
        if not -math.inf < lower <= upper < math.inf:
            raise ValueError(f"bounds must be finite, and the lower one not above the upper one: {lower}, {upper}")
        self._lower = lower
        self._upper = upper

    def lower(self) -> float:
        return self._lower

    def upper(self) -> float:
        return self._upper

    def length(self) -> float:
        return self.upper() - self.lower()

    def central(self) -> float:
        """Return the number in the middle."""
        return self.lower() / 2 + self.upper() / 2

    def contains(self, value: float) -> bool:
        return self.lower() <= value <= self.upper()

    def combined(self, other: Range) -> Range:
        """Return the smallest range that includes both ranges."""
        return Range(min(self.lower(), other.lower()), max(self.upper(), other.upper()))

    def expanded(self, lower_share: float, upper_share: float) -> Range:
        """Return a longer range; each share is a fraction of this range's length."""
        return Range(self.lower() - lower_share * self.length(), self.upper() + upper_share * self.length())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Range):
            return NotImplemented
        return (self._lower, self._upper) == (other._lower, other._upper)

    def __hash__(self) -> int:
        return hash((self._lower, self._upper))

    def __repr__(self) -> str:
        return f"Range({self._lower}, {self._upper})"
