"""Virtual time, which advances only when no participant is enabled, so that sleeping takes no real time."""

from __future__ import annotations

import heapq

from raddle.engine.carrier import Carrier

TIE_SECONDS = 1e-3  # timers due within this interval expire together, because their order is not determined


class VirtualClock:
    """The current time of one execution, and its pending timers."""

    __slots__ = ("_tickets", "_timers", "now", "readings")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset the clock to 0 for another execution."""
        self.now = 0.0
        self.readings = 0  # number of times the program has read the clock
        self._timers: list[tuple[float, int, Carrier]] = []
        self._tickets = 0

    def set_timer(self, me: Carrier, seconds: float) -> None:
        """Start a timer that sets `me.timed_out` after `seconds` of virtual time, unless the wait ends earlier."""
        self._tickets = me.timer = self._tickets + 1
        heapq.heappush(self._timers, (self.now + seconds, me.timer, me))

    def expire(self, me: Carrier) -> None:
        """Make a timed wait expire now, by advancing the clock to the time at which its timer is due."""
        for when, ticket, carrier in self._timers:
            if carrier is me and ticket == me.timer:
                self.now = max(self.now, when)
        me.timed_out = True

    def advance(self) -> list[Carrier]:
        """Advance the clock to the time at which the next timer is due; return the carriers whose waits expire."""
        due: float | None = None
        expired: list[Carrier] = []
        while self._timers:
            when, ticket, carrier = self._timers[0]
            if due is not None and when > due + TIE_SECONDS:
                break
            heapq.heappop(self._timers)
            if carrier.timer != ticket:  # that wait has already ended
                continue
            due = when if due is None else due
            self.now = max(self.now, when)
            carrier.timed_out = True
            expired.append(carrier)
        return expired
