"""Virtual time: it passes only when no participant can go on, so that a sleep costs nothing."""

from __future__ import annotations

import heapq

from raddle.engine.carrier import Carrier

AT_ONCE = 1e-3  # seconds: waits that end within that end together, as it is open which one ends first


class VirtualClock:
    """The time of one execution, and the waits that it ends."""

    __slots__ = ("_tickets", "_timers", "now", "readings")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin another execution at time 0."""
        self.now = 0.0
        self.readings = 0  # how often the program has read the clock
        self._timers: list[tuple[float, int, Carrier]] = []
        self._tickets = 0

    def set_timer(self, me: Carrier, seconds: float) -> None:
        """Have `me.timed_out` become true after that long, unless the wait ends before."""
        self._tickets = me.timer = self._tickets + 1
        heapq.heappush(self._timers, (self.now + seconds, me.timer, me))

    def expire(self, me: Carrier) -> None:
        """End a timed wait early, by letting all the time pass that it may take."""
        for when, ticket, carrier in self._timers:
            if carrier is me and ticket == me.timer:
                self.now = max(self.now, when)
        me.timed_out = True

    def advance(self) -> list[Carrier]:
        """Let time pass until a wait is over; return the carriers whose waits are."""
        due: float | None = None
        over: list[Carrier] = []
        while self._timers:
            when, ticket, carrier = self._timers[0]
            if due is not None and when > due + AT_ONCE:
                break
            heapq.heappop(self._timers)
            if carrier.timer != ticket:  # that wait has ended otherwise
                continue
            due = when if due is None else due
            self.now = max(self.now, when)
            carrier.timed_out = True
            over.append(carrier)
        return over
