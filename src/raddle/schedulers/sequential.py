"""Sequential scheduling: the running thread continues while it is enabled, then the first enabled thread runs."""

from __future__ import annotations

from collections.abc import Sequence

from raddle.schedulers.base import Scheduler, Thread


class Sequential(Scheduler):
    """Runs without preemption.

    Every search begins this way, and replays continue this way after the end of the schedule.
    """

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        return current if current in enabled else enabled[0]  # type: ignore[return-value]
