"""Settings of criteria: what their users can choose."""

from __future__ import annotations

from dataclasses import dataclass

PINV_OCCURRENCES = 4


@dataclass(frozen=True, slots=True)
class CriterionSettings:
    """The choices for all criteria; each criterion takes its own."""

    # Occurrences of an access that pinv tells apart. Fewer than elsewhere: each of a thread's pairs of accesses can
    # meet each access of all others, so requirements grow with the cube of this.
    pinv_occurrences: int = PINV_OCCURRENCES


DEFAULT_SETTINGS = CriterionSettings()
