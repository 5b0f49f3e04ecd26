"""Stop rules, which determine when a search stops.

They are checked after each execution or, with workers, after each round of units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raddle.stop_reason import StopReason

GOALS = ("saturated", "covered")
WHOLE = "whole"  # goal of a complete search: stop when exhausted, or as soon as there are too many schedules
MAX_CRASHES = 20  # a search stops after this many crashes: in a row within one unit, or in total over all units
MAX_ENDLESS = 3  # a search for coverage stops after this many endless executions, which are slow and cover little


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits and the goal of a search.

    >>> Budget(until="saturated").reason_to_stop(found=True, endless=3, crashes=0, reached=lambda goal: True)
    'endless'
    """

    executions: int | None = None
    seconds: float | None = None
    until: str = "first-finding"  # or "saturated", "covered", "exhausted", "budget"

    def reason_to_stop(
        self, *, found: bool, endless: int, crashes: int, reached: Callable[[str], bool], goal: str = ""
    ) -> StopReason | None:
        """Return a reason to stop before the budget is spent, or None.

        `goal`, if given, replaces `until` for part of the search. If `until` is "first-finding", a finding ends the
        search regardless of `goal`.
        """
        goal = goal or self.until
        if found and self.until == "first-finding":
            return StopReason.FIRST_FINDING
        if goal in GOALS and endless >= MAX_ENDLESS:
            return StopReason.ENDLESS
        if crashes >= MAX_CRASHES:
            return StopReason.CRASHING
        return StopReason(goal) if goal in GOALS and reached(goal) else None
