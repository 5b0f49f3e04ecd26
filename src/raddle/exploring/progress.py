"""Progress updates, which a search passes to its progress callback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

SEARCHING = "searching"


@dataclass(frozen=True, slots=True)
class ProgressUpdate:
    """The state of a search after an execution."""

    executions: int
    findings: int
    seconds: float
    covered: Mapping[str, int]  # maps each criterion to its number of covered requirements
    seconds_since_new: float  # seconds since coverage last grew
    doing: str = SEARCHING  # the current activity, for example "rehearsing" or "shrinking"


ProgressCallback = Callable[[ProgressUpdate], None]
