"""What was to be instrumented and is not: nothing is silently not measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotInstrumented:
    """Something that raddle was asked to watch and could not."""

    what: str
    why: str
