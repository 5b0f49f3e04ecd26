"""A moment of a search, for showing its progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

SEARCHING = "searching"


@dataclass(frozen=True, slots=True)
class ProgressUpdate:
    """How far a search has come."""

    executions: int
    findings: int
    seconds: float
    covered: Mapping[str, int]  # by criterion: requirements
    seconds_since_new: float
    doing: str = SEARCHING  # or other work meanwhile: "rehearsing", "shrinking" ...


ProgressCallback = Callable[[ProgressUpdate], None]
