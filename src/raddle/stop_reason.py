"""Why an exploration stopped."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Reason(StrEnum):
    """A reason with the sentence that people read. It is its name as a string, so JSON needs no conversion."""

    sentence: str

    def __new__(cls, name: str, sentence: str = "") -> Self:
        self = str.__new__(cls, name)
        self._value_ = name
        self.sentence = sentence
        return self

    __repr__ = str.__repr__  # as before these were an enum: users print them


class StopReason(Reason):
    """The reasons to stop exploring. `docs/formats.md` has a line on each.

    >>> StopReason("covered").sentence, StopReason.EXHAUSTED_IN_PART.ran_out
    ('everything known to be possible is covered', True)
    """

    FIRST_FINDING = "first-finding", "stopped at the first finding"
    SATURATED = "saturated", "saturated: nothing new came for long"
    COVERED = "covered", "everything known to be possible is covered"
    ENDLESS = "endless", "stopped, as executions do not end"
    CRASHING = "crashing", "stopped, as executions end their process"
    EXHAUSTED = "exhausted", "exhausted: no other schedule exists for this scenario"
    EXHAUSTED_WITHIN_BOUND = "exhausted-within-bound", "every schedule within the bound was run"
    EXHAUSTED_IN_PART = (
        "exhausted-in-part", "exhausted in part: every schedule of what is under control was run"
    )  # fmt: skip
    EXECUTIONS = "executions", "the number of executions asked for is reached"
    SECONDS = "seconds", "the time asked for is over"
    INTERRUPTED = "interrupted", "interrupted"

    @property
    def ran_out(self) -> bool:
        """Whether the scheduler had no other schedule to run, be it within a bound or in part."""
        return self in (StopReason.EXHAUSTED, StopReason.EXHAUSTED_WITHIN_BOUND, StopReason.EXHAUSTED_IN_PART)
