"""Closed ranges of integers, whose hash is stored in one step."""

from __future__ import annotations

from raddle_lab.classes import int_range


class IntRange(int_range.IntRange):
    """The integers from a minimum to a maximum, both included."""

    def __hash__(self) -> int:
        result = self._hash
        if result == 0:
            result = 37 * 17 + int_range._hash_of_text("IntRange")
            result = 37 * result + self.get_minimum_int()
            result = 37 * result + self.get_maximum_int()
            self._hash = result
        return result
