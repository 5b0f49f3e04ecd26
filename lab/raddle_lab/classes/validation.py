"""Checks of numbers that callers pass to setters."""

from __future__ import annotations

from typing import TypeVar

Number = TypeVar("Number", int, float)


def at_least_zero(name: str, number: Number) -> Number:
    """Return the number; raise ValueError if it is negative."""
    if number < 0:
        raise ValueError(f"{name} must not be negative: {number}")
    return number


def above_zero(name: str, number: Number) -> Number:
    """Return the number; raise ValueError if it is not positive."""
    if number <= 0:
        raise ValueError(f"{name} must be positive: {number}")
    return number
