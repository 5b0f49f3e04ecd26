"""One cell of the experiment: a program, or one of its mutants, and the limits on executions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Part(StrEnum):
    """What a cell measures."""

    FIGURE_3 = "figure 3"  # the example of the paper (Table I)
    COSTS = "costs"  # elements, SYN-sequences and coverage of a program (Tables II to VI)
    DEFECT = "defect"  # which approaches reveal one defect (Tables VII and VIII)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    >>> cell = Cell(Part.DEFECT, "gcd", 50, 10, number=3, total=30, t2=(("2", "8", "4"),))
    >>> Cell.of(cell.description) == cell
    True
    """

    part: Part
    program: str
    executions: int  # limit of RT for each input
    random_runs: int  # limit of CovT's random executions for each input
    inputs: int = 0  # COSTS: size of the pool for T2; DEFECT: number of random inputs
    number: int = 0  # DEFECT: which of the mutants
    total: int = 0  # DEFECT: the number of mutants that are drawn
    t2: tuple[tuple[str, ...], ...] = ()  # DEFECT: the inputs for RTCovT
    seed: int = 1

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> Cell:
        """Return the cell with this description."""
        return cls(
            **{
                **description,
                "part": Part(description["part"]),
                "t2": tuple(tuple(arguments) for arguments in description["t2"]),
            }
        )

    @property
    def description(self) -> dict[str, Any]:
        """The cell as JSON data."""
        return {**asdict(self), "part": str(self.part), "t2": [list(arguments) for arguments in self.t2]}
