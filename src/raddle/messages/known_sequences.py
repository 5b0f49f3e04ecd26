"""The index of executions by what was decided in them."""

from __future__ import annotations

from collections.abc import Iterable

from raddle.messages.choices import Decided


class KnownSequences:
    """The sequences of decided choices that were executed.

    For each decided choice, the index has the set of sequences that contain it, as an integer: bit n is set if
    sequence n contains it.

    >>> from raddle.messages.choices import Choice, Numbering
    >>> first = Decided(Choice(0, Numbering.RECEIVES, 0), (1, 0))
    >>> known = KnownSequences()
    >>> known.contain([first])
    False
    >>> known.add([first])
    >>> known.contain([first]), len(known)
    (True, 1)
    """

    def __init__(self) -> None:
        self._containing: dict[Decided, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, decided: Iterable[Decided]) -> None:
        """Add a sequence."""
        bit = 1 << self._count
        for one in decided:
            self._containing[one] = self._containing.get(one, 0) | bit
        self._count += 1

    def contain(self, decided: Iterable[Decided]) -> bool:
        """Return whether some known sequence contains all these decided choices."""
        sequences = (1 << self._count) - 1
        for one in decided:
            sequences &= self._containing.get(one, 0)
            if not sequences:
                return False
        return sequences != 0
