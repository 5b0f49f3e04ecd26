"""A domain: the kind of participants that a scenario has, and how to prepare a process for running such scenarios.

A domain is a plain value that is part of a `SearchPlan`, so every process of a search creates the same installation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from raddle.execute.installation import Installation


class Domain(ABC):
    """A world, with the options for its installations. A domain must be picklable for searches with workers."""

    default_criteria: ClassVar[tuple[str, ...]] = ()  # criteria that are measured if the caller names none

    @abstractmethod
    def install(self) -> Installation:
        """Return an installation, which takes effect when it is entered."""
