"""No preemption: whoever runs goes on as long as it can, then the first that can."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.schedulers.base import Scheduler, Thread


class Sequential(Scheduler):
    """The tame schedule that every exploration begins with, and that a schedule's text ends in."""

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        return current if current in enabled else enabled[0]  # type: ignore[return-value]
