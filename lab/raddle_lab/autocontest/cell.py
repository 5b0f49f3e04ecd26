"""One cell of the experiments: what it measures, of which class, how and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from raddle.generation.autocontest.pruning import ALL_RULES, ONLY_D1, Rules


class Part(StrEnum):
    """What a cell measures."""

    GIVEN = "given"  # the sequences of Fig. 4 on the class of Fig. 1
    FAULTS = "faults"  # faults and coverage over time (Table 1, Fig. 10)
    SATURATION = "saturation"  # the iterations of the generator alone, until it finds no more traces (Table 2)
    FIRST = "first"  # the first iteration of the generator alone, limited only by time (Table 2)


class Approach(StrEnum):
    """How tests are generated and explored."""

    AUTOCONTEST = "autocontest"
    CONTEGE_STAR = "contege*"  # the tests of ConTeGe, explored by AutoConTest's explorer
    CONTEGE = "contege"  # the tests of ConTeGe on native threads


class Pruning(StrEnum):
    """Which pruning rules the generator uses."""

    ALL = "all"
    NO_D2 = "no D2"
    NO_D3 = "no D3"
    NO_B1 = "no B1"
    NO_B2 = "no B2"
    ONLY_D1 = "only D1"

    @property
    def rules(self) -> Rules:
        """The rules.

        >>> Pruning.NO_B1.rules
        Rules(d1=True, d2=True, d3=True, b1=False, b2=True)
        """
        match self:
            case Pruning.NO_D2:
                return Rules(d2=False)
            case Pruning.NO_D3:
                return Rules(d3=False)
            case Pruning.NO_B1:
                return Rules(b1=False)
            case Pruning.NO_B2:
                return Rules(b2=False)
            case Pruning.ONLY_D1:
                return ONLY_D1
            case _:
                return ALL_RULES


@dataclass(frozen=True, slots=True)
class Cell:
    """One run.

    >>> cell = Cell(Part.FIRST, "A1", 60.0, pruning=Pruning.NO_D2)
    >>> Cell.of(cell.description) == cell
    True
    """

    part: Part
    subject: str
    seconds: float
    approach: Approach = Approach.AUTOCONTEST
    pruning: Pruning = Pruning.ALL
    seed: int = 1

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> Cell:
        """Return the cell with this description."""
        return cls(
            **{
                **description,
                "part": Part(description["part"]),
                "approach": Approach(description["approach"]),
                "pruning": Pruning(description["pruning"]),
            }
        )

    @property
    def description(self) -> dict[str, Any]:
        """The cell as JSON data."""
        return {
            **asdict(self),
            "part": str(self.part),
            "approach": str(self.approach),
            "pruning": str(self.pruning),
        }
