"""The assembler: combines each new sequence with all sequences so far (section 4.3 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

Sequence = TypeVar("Sequence")


@dataclass(slots=True)
class Assembler(Generic[Sequence]):
    """The sequences of all iterations.

    Iteration n makes n tests, so that every new call trace meets all call traces of all sequences.

    >>> assembler = Assembler()
    >>> assembler.add("d1"), assembler.add("d2")
    ([('d1', 'd1')], [('d2', 'd2'), ('d2', 'd1')])
    """

    sequences: list[Sequence] = field(default_factory=list)

    def add(self, sequence: Sequence) -> list[tuple[Sequence, Sequence]]:
        """Add the sequence of an iteration; return the new tests, each as the sequences of its two threads."""
        self.sequences.append(sequence)
        return [(sequence, sequence), *((sequence, earlier) for earlier in self.sequences[:-1])]
