"""Virtual time, which advances only when no participant is enabled, so that sleeping takes no real time."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

from raddle.engine.carrier import Carrier

TIE_SECONDS = 1e-3  # timers due within this time after the earliest one expire together: their order is undefined


@dataclass(frozen=True, slots=True, eq=False)
class Timer:
    """A timed wait of one participant."""

    in_time: Callable[[], bool]  # returns whether the wait can end without its timeout


class VirtualClock:
    """The current time of one execution, and its pending timers."""

    __slots__ = ("_tickets", "_timers", "now", "readings")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset the clock to 0 for another execution."""
        self.now = 0.0
        self.readings = 0  # number of times the program has read the clock
        self._timers: list[tuple[float, int, Carrier, Timer]] = []
        self._tickets = 0

    def set_timer(self, me: Carrier, seconds: float, in_time: Callable[[], bool]) -> None:
        """Start a timer that sets `me.timed_out` after `seconds` of virtual time, unless the wait ends earlier."""
        me.timer = Timer(in_time)
        self._tickets += 1  # orders timers that are due at the same time
        heapq.heappush(self._timers, (self.now + seconds, self._tickets, me, me.timer))

    def expire(self, me: Carrier) -> None:
        """Make a timed wait expire now, by advancing the clock to the time at which its timer is due."""
        for when, _, _, timer in self._timers:
            if timer is me.timer:
                self.now = max(self.now, when)
        me.timed_out = True

    def advance(self) -> list[Carrier]:
        """Advance the clock to the time at which the next timer is due; return the carriers whose waits expire."""
        due: float | None = None
        expired: list[Carrier] = []
        while self._timers:
            when, _, carrier, timer = self._timers[0]
            if due is not None and when > due + TIE_SECONDS:
                break
            heapq.heappop(self._timers)
            if carrier.timer is not timer:  # that wait has already ended
                continue
            due = when if due is None else due
            self.now = max(self.now, when)
            carrier.timed_out = True
            expired.append(carrier)
        return expired
