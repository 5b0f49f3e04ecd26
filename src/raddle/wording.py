"""How numbers are said."""

from __future__ import annotations


def count(number: int, noun: str, nouns: str | None = None) -> str:
    """The number with its noun.

    >>> count(1, "run"), count(2000, "run"), count(3, "process", "processes")
    ('1 run', '2,000 runs', '3 processes')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
