"""Rules of an execution: what the caller asks of the engine besides a policy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Timeouts(StrEnum):
    """When a timed wait may expire."""

    LATE = "late"  # only when no participant can go on otherwise
    ANY = "any"  # at any scheduling point, as if the machine were slow


class Wakeups(StrEnum):
    """Which waiters a notification wakes."""

    FIFO = "fifo"  # those that have waited longest, as CPython does
    ANY = "any"  # any of them, as its documentation allows


@dataclass(frozen=True, slots=True)
class Rules:
    """How an execution is run."""

    eager: bool = True  # run the first steps of a new participant at once
    sees_forced_steps: bool = False  # ask the policy also where only one participant is enabled
    fair: bool = True  # force a switch after `UNFAIR` consecutive steps of one participant
    # Continue after a participant has died of an exception: what the others would have done shows where points are
    # needed, and a switch there may be what avoids the exception.
    thorough: bool = False
    samples: bool = False  # leave out sites that never mattered, in most executions; see `Sampling`
    timeouts: Timeouts = Timeouts.LATE
    wakeups: Wakeups = Wakeups.FIFO


DEFAULT_RULES = Rules()
