"""Settings of criteria: what their users can choose."""

from __future__ import annotations

from dataclasses import dataclass

from raddle.errors import UsageError

PINV_OCCURRENCES = 4


@dataclass(frozen=True, slots=True)
class CriterionSettings:
    """The choices for all criteria; each criterion takes its own."""

    # Occurrences of an access that pinv distinguishes. Fewer than elsewhere: each of a thread's pairs of accesses can
    # meet each access of all others, so requirements grow with the cube of this.
    pinv_occurrences: int = PINV_OCCURRENCES

    def __post_init__(self) -> None:
        number = self.pinv_occurrences
        if not isinstance(number, int) or number < 1:
            raise UsageError("bad-pinv-occurrences", f"pinv_occurrences must be a number from 1 on, not {number!r}")


DEFAULT_SETTINGS = CriterionSettings()
