"""The options of the world of ranks: what an MPI implementation may choose, and how often polls may fail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Sends(StrEnum):
    """When a standard send completes."""

    BUFFERED = "buffered"  # at once
    SYNCHRONOUS = "synchronous"  # when a receive has taken the message


class Collectives(StrEnum):
    """Which ranks a collective operation waits for."""

    MINIMAL = "minimal"  # only those whose data it needs, which is all that the MPI standard guarantees
    SYNCHRONIZING = "synchronizing"  # all, as in a barrier


@dataclass(frozen=True, slots=True)
class MpiOptions:
    """How ranks behave where the MPI standard leaves a choice.

    >>> MpiOptions(sends=Sends.SYNCHRONOUS).polls
    3
    """

    sends: Sends = Sends.BUFFERED
    collectives: Collectives = Collectives.MINIMAL
    # How many times in a row a rank may be told that nothing has arrived, or that a request is not complete.
    polls: int = 3


DEFAULT_OPTIONS = MpiOptions()
