"""One cell of the experiments: a class, a method and a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

SAMPLES = 30  # points of a curve of coverage over time
POINTS = 4  # points at which coverage and bugs are correlated


class Part(StrEnum):
    """What a cell measures."""

    BUGS = "bugs"  # the time until the first bug (research question 1)
    COVERAGE = "coverage"  # coverage over time (research question 2)
    COVERAGE_TOTAL = "coverage-total"  # the patterns covered in a longer run
    CORRELATION = "correlation"  # coverage and bugs over time, without locks (research question 3)
    CORRELATION_TOTAL = "correlation-total"  # the patterns and bugs found in a longer run, without locks


@dataclass(frozen=True, slots=True)
class Cell:
    """One run.

    >>> Cell.of(Cell(Part.BUGS, "V3", "covcon", 1, 60.0).description) == Cell(Part.BUGS, "V3", "covcon", 1, 60.0)
    True
    """

    part: Part
    subject: str
    method: str
    seed: int
    seconds: float
    max_tests: int | None = None  # limit on the number of tests, for runs that must not depend on speed

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> Cell:
        """Return the cell with this description."""
        return cls(**{**description, "part": Part(description["part"])})

    @property
    def description(self) -> dict[str, Any]:
        """The cell as JSON data."""
        return {**asdict(self), "part": str(self.part)}

    @property
    def samples(self) -> int:
        """The number of times at which coverage is recorded."""
        return POINTS if self.part in (Part.CORRELATION, Part.CORRELATION_TOTAL) else SAMPLES
