"""Formats numbers for use in sentences."""

from __future__ import annotations


def count(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a number with its noun, in the singular or plural.

    >>> count(1, "run"), count(2000, "run"), count(3, "process", "processes")
    ('1 run', '2,000 runs', '3 processes')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def ordinal(number: int) -> str:
    """Return a number as an ordinal in digits.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
