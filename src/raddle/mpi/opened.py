"""What a rank opens and should close: requests, communicators and other objects of MPI."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raddle.mpi.call_place import Called


@dataclass(slots=True, eq=False)
class Opened:
    """An object that a rank has opened, with the words for a warning if the rank never closes it."""

    caution: str  # the value of the kind of warning
    subject: str  # such as "a receive"
    done: str  # verb, such as "posted"
    lacking: str  # such as "never waited for it"
    still_open: Callable[[], bool]
    called: Called | None = None

    @property
    def is_open(self) -> bool:
        """Whether the rank has not closed the object."""
        return self.still_open()
