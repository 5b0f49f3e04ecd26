"""Stop rules: when a search ends, after an execution in this process or after a round of units in several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raddle.stop_reason import StopReason

GOALS = ("saturated", "covered")
WHOLE = "whole"  # until every schedule was run, or it turns out that they are too many
MAX_CRASHES = 20  # executions that end their process, in a row or in all units: hardly any does not
MAX_ENDLESS = 3  # executions that do not end are slow, and cover what they cover at once


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop.

    >>> Budget(until="saturated").reason_to_stop(found=True, endless=3, crashes=0, reached=lambda goal: True)
    'endless'
    """

    executions: int | None = None
    seconds: float | None = None
    until: str = "first-finding"  # or "saturated", "covered", "exhausted", "budget"

    def reason_to_stop(
        self, *, found: bool, endless: int, crashes: int, reached: Callable[[str], bool], goal: str = ""
    ) -> StopReason | None:
        """Return why to stop before the budget is spent, if at all.

        `goal` replaces `until` for a part of the search, but a finding ends it all the same.
        """
        goal = goal or self.until
        if found and self.until == "first-finding":
            return StopReason.FIRST_FINDING
        if goal in GOALS and endless >= MAX_ENDLESS:
            return StopReason.ENDLESS
        if crashes >= MAX_CRASHES:
            return StopReason.CRASHING
        return StopReason(goal) if goal in GOALS and reached(goal) else None
