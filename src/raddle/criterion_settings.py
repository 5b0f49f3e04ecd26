"""User-configurable settings of coverage criteria."""

from __future__ import annotations

from dataclasses import dataclass

from raddle.errors import UsageError
from raddle.variable_scope import VariableScope

PINV_OCCURRENCES = 4  # default number of occurrences of an access that pinv distinguishes


@dataclass(frozen=True, slots=True)
class CriterionSettings:
    """The settings of all criteria. Each criterion uses the fields that concern it."""

    # Number of occurrences of an access that pinv distinguishes. Other criteria distinguish more occurrences. A
    # requirement of pinv combines two accesses of one thread and one of another, so the number of requirements grows
    # with the cube of this number.
    pinv_occurrences: int = PINV_OCCURRENCES

    # For map: the variables of a class under test and the sites that count. None means that all variables and sites
    # count, and that only variables of one object form pairs.
    scope: VariableScope | None = None

    def __post_init__(self) -> None:
        number = self.pinv_occurrences
        if not isinstance(number, int) or number < 1:
            raise UsageError("bad-pinv-occurrences", f"pinv_occurrences must be a positive integer, not {number!r}")


DEFAULT_SETTINGS = CriterionSettings()
