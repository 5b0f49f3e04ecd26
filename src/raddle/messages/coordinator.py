"""Decides which variants run at the same time, so that no SYN-sequence is executed twice.

A variant may start if no known sequence contains it and if it excludes every variant that is running. Two executions of
the same sequence would contain both of their variants. If both variants were running, they would exclude each other,
which is a contradiction. If one had ended before, the sequence would have been known. A variant that is held back is
examined again when an execution ends. So no sequence is missed, and the set of sequences does not depend on the number
of workers.
"""

from __future__ import annotations

from collections.abc import Iterable

from raddle.messages.known_sequences import KnownSequences
from raddle.messages.variant_worker import Begin, Ran

MAX_EXAMINED = 200  # number of waiting variants to examine for a batch


class Coordinator:
    """The variants that wait or run, and the known sequences."""

    def __init__(self) -> None:
        self.known = KnownSequences()
        self.redundant = 0  # number of executions of known sequences; should stay 0
        self._waiting: list[Begin] = [()]
        self._running: dict[Begin, dict[object, object]] = {}  # with the outcome of each choice

    @property
    def is_finished(self) -> bool:
        """Whether every variant was run or is contained in a known sequence."""
        return not self._waiting and not self._running

    @property
    def waiting(self) -> int:
        """The number of variants that may still have to run."""
        return len(self._waiting)

    def batch(self, size: int) -> list[Begin]:
        """Return up to `size` variants that may start now; they count as running."""
        batch: list[Begin] = []
        held_back: list[Begin] = []
        while self._waiting and len(batch) < size and len(held_back) < MAX_EXAMINED:
            begin = self._waiting.pop()
            if self.known.contain(begin):
                continue
            outcomes: dict[object, object] = dict(begin)
            if all(_exclude(outcomes, other) for other in self._running.values()):
                self._running[begin] = outcomes
                batch.append(begin)
            else:
                held_back.append(begin)
        self._waiting += reversed(held_back)
        return batch

    def landed(self, batch: Iterable[Begin], ran: Iterable[Ran]) -> list[Ran]:
        """Add the executions of a batch; return those whose sequences were not known."""
        new = []
        for begin, one in zip(batch, ran, strict=True):
            del self._running[begin]
            if self.known.contain(one.decided):
                self.redundant += 1
                continue
            self.known.add(one.decided)
            new.append(one)
            self._waiting += [
                decided for decided in (variant.decided for variant in one.variants) if not self.known.contain(decided)
            ]
        return new


def _exclude(one: dict[object, object], other: dict[object, object]) -> bool:
    """Return whether two variants decide some choice differently."""
    if len(other) < len(one):
        one, other = other, one
    return any(other.get(choice, outcome) != outcome for choice, outcome in one.items())
