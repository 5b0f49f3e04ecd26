"""The rules by which the engine runs an execution, apart from the policy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Timeouts(StrEnum):
    """The rule that determines when a timed wait may expire."""

    LATE = "late"  # expires only when no participant is enabled
    ANY = "any"  # may expire at any scheduling point, as on a slow machine


class Wakeups(StrEnum):
    """The rule that determines which waiters a notification wakes."""

    FIFO = "fifo"  # wakes the waiters that have waited longest, as CPython does
    ANY = "any"  # may wake any waiters, as CPython's documentation allows


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one execution."""

    eager: bool = True  # True to run a new participant immediately, up to its first scheduling point
    sees_forced_steps: bool = False  # True to call the policy even if only one participant is enabled
    fair: bool = True  # True to force a switch after too many consecutive steps by one participant
    # True to continue after an exception has ended a participant. The later steps of the other participants show where
    # scheduling points are needed, and a switch at one of these points may avoid the exception.
    thorough: bool = False
    samples: bool = False  # True to track only some sites in most executions; see `Sampling`
    timeouts: Timeouts = Timeouts.LATE
    wakeups: Wakeups = Wakeups.FIFO


DEFAULT_RULES = Rules()
