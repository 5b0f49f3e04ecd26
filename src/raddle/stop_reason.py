"""The reasons why a search stops."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Reason(StrEnum):
    """A reason with a human-readable sentence. Its value is its name in JSON."""

    sentence: str

    def __new__(cls, name: str, sentence: str = "") -> Self:
        self = str.__new__(cls, name)
        self._value_ = name
        self.sentence = sentence
        return self

    __repr__ = str.__repr__  # because users print reasons, which were plain strings in earlier versions


class StopReason(Reason):
    """The reasons to stop exploring. `docs/formats.md` describes each reason.

    `raddle.report.stop_text` adds numbers and qualifications to the sentence.

    >>> StopReason("executions").sentence, StopReason.EXHAUSTED_IN_PART.ran_out
    ('stopped: execution limit reached', True)
    """

    FIRST_FINDING = "first-finding", "stopped at the first finding"
    SATURATED = "saturated", "saturated: no new coverage for many executions"
    COVERED = "covered", "covered: every requirement known to be possible"
    ENDLESS = "endless", "stopped: executions do not end"
    CRASHING = "crashing", "stopped: too many executions killed their process"
    EXHAUSTED = "exhausted", "exhausted: every schedule was run"
    EXHAUSTED_WITHIN_BOUND = "exhausted-within-bound", "exhausted within the bound: every schedule within it was run"
    EXHAUSTED_IN_PART = (
        "exhausted-in-part", "exhausted in part: every schedule of the controlled code was run"
    )  # fmt: skip
    NOTHING_PROMISED = "nothing-promised", "stopped: no known race variant promises to cover anything new"
    EXECUTIONS = "executions", "stopped: execution limit reached"
    SECONDS = "seconds", "stopped: time limit reached"
    INTERRUPTED = "interrupted", "interrupted"

    @property
    def ran_out(self) -> bool:
        """Whether the scheduler ran out of schedules, possibly only within a bound or for part of the code."""
        return self in (StopReason.EXHAUSTED, StopReason.EXHAUSTED_WITHIN_BOUND, StopReason.EXHAUSTED_IN_PART)
