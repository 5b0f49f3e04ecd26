"""A scenario: a small message-passing program and what raddle should report about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from raddle.outcome import OutcomeKind

CORRECT = "correct"  # the class of programs without an error


@dataclass(frozen=True, slots=True)
class MessageScenario:
    """A program that all ranks run, with its verdict.

    A correct program has neither findings nor warnings.
    """

    program: Callable[[Any], object]  # takes the communicator
    ranks: int
    _: KW_ONLY
    finds: OutcomeKind | None = None
    warns: str | None = None  # the kind of the expected warning
    only_synchronous: bool = False  # whether the failure needs sends that wait for their receives
    only_synchronizing: bool = False  # whether the failure needs collective operations that wait for all ranks
    sequences: int | None = None  # number of SYN-sequences with buffered sends
    step_limit: int = 2_000

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.program.__name__

    @property
    def error_class(self) -> str:
        """The kind of the error, or "correct"."""
        return self.finds or self.warns or CORRECT
