"""A domain: the kind of participant that scenarios have, and how a process is prepared to run them.

A domain is a plain value that is part of a `SearchPlan`, so every process of a search creates the same installation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from raddle.execute.installation import Installation


class Domain(ABC):
    """One world, with the options of its installations. It must be picklable for searches with workers."""

    default_criteria: ClassVar[tuple[str, ...]] = ()  # criteria that are measured if the caller names none

    @abstractmethod
    def install(self) -> Installation:
        """Return an installation, which takes effect when it is entered."""
