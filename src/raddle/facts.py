"""Facts: what executions showed about the sites, by which some requirements can be seen to be impossible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Facts:
    """Nothing is known until something was seen; facts of other executions can be added."""

    def __add__(self, other: Facts) -> Facts:
        return self

    def as_json(self) -> dict[str, Any]:
        """For the data file."""
        return {}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Facts:
        """What `as_json` gave."""
        return cls()
