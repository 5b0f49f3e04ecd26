"""A domain: what the participants of scenarios are, threads or others, and how a process is prepared to run them.

It is a value. A plan carries it, so that every process that takes part in a search makes the same installation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from raddle.execute.installation import Installation


class Domain(ABC):
    """One world, with the options of its installations; it has to be picklable for searches with workers."""

    default_criteria: ClassVar[tuple[str, ...]] = ()  # what is measured if the caller names nothing

    @abstractmethod
    def install(self) -> Installation:
        """Return an installation, which is put in place when it is entered."""
