"""Comparison of the output of executions: a correct program prints the same whichever messages its receives take."""

from __future__ import annotations

import re

from raddle.mpi.sequence import Sequence
from raddle.outcome import Outcome, OutcomeKind

MAX_LINES = 10  # number of lines of each output to show
_FRACTION = re.compile(r"\d+\.\d+(e[-+]?\d+)?")


class Results:
    """Compares what rank 0 prints in each execution with what it printed in the first one.

    The first execution of a search or a replay has no preemptions, so it is always the same. Outputs that differ only
    in the order of their lines are equal. If the same SYN-sequence has two outputs, they depend on something else than
    messages, and the comparison ends.
    """

    def __init__(self) -> None:
        self._is_over = False
        self._reference: tuple[Sequence, str] | None = None
        self._outputs: dict[Sequence, str] = {}

    def give_up(self) -> None:
        """End the comparison if the first execution has failed."""
        if self._reference is None:
            self._is_over = True

    def compare(self, sequence: Sequence, output: str, *, read_clock: bool) -> Outcome | None:
        """Return the outcome of an execution that passed otherwise, if its output differs; otherwise None.

        Fractions may be times, so they are ignored if a rank has read the clock.
        """
        if self._is_over:
            return None
        if self._reference is None:
            self._reference = sequence, output
        essence = _essence(output, read_clock=read_clock)
        if self._outputs.setdefault(sequence, essence) != essence:
            self._is_over = True
            return None
        first_sequence, first_output = self._reference
        if essence == _essence(first_output, read_clock=read_clock):
            return None
        return Outcome(
            OutcomeKind.DIFFERENT_RESULTS,
            "the output of R0 depends on the order in which messages are received",
            "R0",
            (OutcomeKind.DIFFERENT_RESULTS,),
            (
                *_shown("in another execution, R0 prints:", first_output),
                *_shown("in this execution, R0 prints:", output),
                *_first_difference(first_sequence, sequence),
            ),
        )


def _essence(output: str, *, read_clock: bool) -> str:
    """Return the part of an output that has to be equal."""
    lines = sorted(output.splitlines())
    text = "\n".join(lines)
    return _FRACTION.sub("0.0", text) if read_clock else text


def _shown(title: str, output: str) -> list[str]:
    lines = output.splitlines()
    shown = [f"  {line}" for line in lines[:MAX_LINES]]
    return [title, *shown, *(["  ..."] if len(lines) > MAX_LINES else [])]


def _first_difference(one: Sequence, other: Sequence) -> list[str]:
    """Return a sentence on the first receive that took different messages."""
    first, second = dict(one.matches), dict(other.matches)
    for rank, number in sorted(first.keys() & second.keys()):
        sources = first[rank, number], second[rank, number]
        if sources[0] != sources[1]:
            names = [f"message {position + 1} of R{source}" for source, position in sources]
            return [f"the first receive that differs is number {number + 1} of R{rank}: {names[0]} or {names[1]}"]
    return []
