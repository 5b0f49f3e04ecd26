"""Turns: which scheduler controlled which executions, and what each scheduler covered and found.

The number of an execution determines which scheduler controlled it. So the share of each scheduler can be computed at
the end, from the numbers of the executions that first covered a requirement or produced a finding. The shares do not
depend on how the search was split into units.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from raddle.result import EVERY_ORDER, KEPT_SCHEDULES, WITHOUT_PREEMPTION
from raddle.schedulers.base import Scheduler

POLICY = ""  # represents the scheduler of the search or, in a portfolio, the member whose turn it is
_FIRST = (WITHOUT_PREEMPTION, KEPT_SCHEDULES)  # listed before the schedulers


class Turn(NamedTuple):
    """Consecutive executions that one scheduler controlled."""

    last: int  # number of the last execution
    executions: int
    name: str = POLICY


def shares(
    turns: Sequence[Turn], policy: Scheduler, *, covered: Iterable[int], found: Iterable[int]
) -> dict[str, dict[str, int]]:
    """Return the numbers of executions, new requirements and findings by scheduler; {} if there is only one scheduler.

    `covered` holds, for each requirement, the number of the first execution that covered it. `found` holds, for each
    finding, the number of the failing execution.
    """
    if not policy.members:
        return {}
    ran = sorted(turn for turn in turns if turn.executions)
    lasts, own = [turn.last for turn in ran], {turn.name for turn in ran}
    members = policy.members if any(turn.name == POLICY for turn in turns) else ()
    names = dict.fromkeys((*filter(own.__contains__, _FIRST), *members, *sorted(own - {POLICY, EVERY_ORDER})))
    names |= dict.fromkeys(own & {EVERY_ORDER})
    result = {name: {"executions": 0, "covered": 0, "found": 0} for name in names}
    for turn in ran:
        if turn.name != POLICY:
            result[turn.name]["executions"] += turn.executions
            continue
        for number in range(turn.last - turn.executions + 1, turn.last + 1):
            result[policy.member_for(number)]["executions"] += 1
    for what, numbers in (("covered", covered), ("found", found)):
        for number in numbers:
            name = ran[bisect_left(lasts, number)].name
            result[policy.member_for(number) if name == POLICY else name][what] += 1
    return result
