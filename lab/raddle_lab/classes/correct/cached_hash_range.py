"""Ranges of numbers that remember their hash."""

from __future__ import annotations


class CachedHashRange:
    """The integers from a minimum to a maximum, both included. A range never changes, so threads may share it."""

    def __init__(self, minimum: int, maximum: int) -> None:
        if minimum > maximum:
            raise ValueError(f"the minimum {minimum} is greater than the maximum {maximum}")
        self._minimum = minimum
        self._maximum = maximum
        self._hash: int | None = None
        self._text: str | None = None

    def minimum(self) -> int:
        return self._minimum

    def maximum(self) -> int:
        return self._maximum

    def contains(self, value: int) -> bool:
        return self._minimum <= value <= self._maximum

    def to_string(self) -> str:
        """Return the range as text, such as "1..5"."""
        if self._text is None:
            self._text = f"{self.minimum()}..{self.maximum()}"
        return self._text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CachedHashRange):
            return NotImplemented
        return (self._minimum, self._maximum) == (other.minimum(), other.maximum())

    def __hash__(self) -> int:
        result = self._hash
        if result is None:
            # Two threads may both compute the hash; they store the same value.
            result = 31 * self.minimum() + self.maximum()
            self._hash = result
        return result
