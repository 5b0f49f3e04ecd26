"""One representative for equal names."""

from __future__ import annotations

import itertools


class Interner:
    """Returns the same object for equal names, and numbers for things without a name.

    Threads may share it without a lock, because each method is a single operation of a container.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._numbers = itertools.count(1)

    def intern(self, name: str) -> str:
        """Return the first name that was given and equals this one."""
        return self._names.setdefault(name, name)

    def size(self) -> int:
        """Return the number of different names."""
        return len(self._names)

    def next_id(self) -> int:
        """Return the next number, beginning with 1. No number is returned twice."""
        return next(self._numbers)
