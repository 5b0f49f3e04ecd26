"""The pruning rules of the search for call sequences, and redundancy of sequences (section 4.2 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Rules:
    """The pruning rules that the search uses."""

    d1: bool = True  # do not extend a sequence whose last call raises an exception
    d2: bool = True  # do not extend a sequence whose last call changes neither the coverage nor the state
    d3: bool = True  # do not extend a redundant sequence whose last call does not change the coverage
    b1: bool = True  # stop extending a sequence once an extension has more coverage in the same state
    b2: bool = True  # stop extending a sequence once it is redundant

    @property
    def compare_states(self) -> bool:
        """Whether any rule compares states."""
        return self.d2 or self.d3 or self.b1 or self.b2


ALL_RULES = Rules()
ONLY_D1 = Rules(d2=False, d3=False, b1=False, b2=False)  # the paper's version without pruning


@dataclass(slots=True)
class Explored:
    """The sequences that lead to one state and are not redundant, each as (gain, length, number).

    A gain is a set of call traces, as bits. Numbers give the order in which the sequences were found.
    """

    entries: list[tuple[int, int, int]] = field(default_factory=list)

    def makes_redundant(self, gain: int, length: int, number: int) -> bool:
        """Return whether one of the sequences makes another one redundant (definition 5).

        >>> Explored([(0b11, 2, 1)]).makes_redundant(0b01, 1, 0), Explored([(0b11, 2, 1)]).makes_redundant(0b11, 1, 0)
        (True, False)
        """
        return any(
            gain | other == other and (gain != other or (other_length, found) < (length, number))
            for other, other_length, found in self.entries
        )

    def add(self, gain: int, length: int, number: int) -> None:
        """Add a sequence, and drop those that it makes redundant."""
        if not self.makes_redundant(gain, length, number):
            self.entries = [
                entry for entry in self.entries if not Explored([(gain, length, number)]).makes_redundant(*entry)
            ]
            self.entries.append((gain, length, number))
