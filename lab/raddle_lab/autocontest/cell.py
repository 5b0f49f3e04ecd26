"""One cell of the experiments: a part, a class, a method and a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from raddle.generation.autocontest.pruning import ALL_RULES, ONLY_D1, Rules


class Part(StrEnum):
    """What a cell measures."""

    FIGURE_1 = "figure-1"  # the paper's example, with given sequences
    GENERATED = "generated"  # the paper's example, with generated sequences
    FAULTS = "faults"  # the time until the first fault, and coverage over time (Table 1, Fig. 10)
    GENERATOR = "generator"  # the search for sequences alone (Table 2)


# The methods of the cells of `Part.GENERATOR`: the pruning rules that are used.
ENABLED, DISABLED = "all rules", "only D1"
RULES: Mapping[str, Rules] = {
    ENABLED: ALL_RULES,
    "without D2": Rules(d2=False),
    "without D3": Rules(d3=False),
    "without B1": Rules(b1=False),
    "without B2": Rules(b2=False),
    DISABLED: ONLY_D1,
}
AUTOCONTEST, CONTEGE, NATIVE_CONTEGE = "autocontest", "contege*", "contege"  # the methods of `Part.FAULTS`


@dataclass(frozen=True, slots=True)
class Cell:
    """One run.

    >>> Cell.of(Cell(Part.FAULTS, "A1", "contege", 1, 60.0).description) == Cell(Part.FAULTS, "A1", "contege", 1, 60.0)
    True
    """

    part: Part
    subject: str
    method: str
    seed: int
    seconds: float
    max_tests: int | None = None  # limit on confirmations or iterations, for runs that must not depend on speed

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> Cell:
        """Return the cell with this description."""
        return cls(**{**description, "part": Part(description["part"])})

    @property
    def description(self) -> dict[str, Any]:
        """The cell as JSON data."""
        return {**asdict(self), "part": str(self.part)}
