"""The run queue: the carriers of one execution, by state.

A participant is "fresh" when it is new or has returned from a join: it runs immediately, up to its next scheduling
point. Other participants cannot observe when this happens, so no decision is needed.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.engine.participant import Passenger


def _by_index(carrier: Carrier | Passenger) -> int:
    return carrier.index


class RunQueue:
    """The carriers by state: live (enabled or blocked), fresh (run immediately), parked (in neither list) or done."""

    __slots__ = ("_interrupted", "carriers", "fresh", "live", "participants", "streak", "unfinished", "warming_up")

    def __init__(self) -> None:
        self.carriers: list[Carrier] = []  # all carriers, ordered by index
        self.participants = 0  # number of carriers and passengers so far
        self.live: list[Any] = []  # carriers, and passengers whose carrier is in `take_turn`, ordered by index
        self.fresh: deque[Carrier] = deque()
        self.streak = 0  # consecutive steps of one participant while others were enabled
        self.unfinished = 0  # number of carriers that the execution waits for
        self.warming_up = False  # True while fresh carriers run
        self._interrupted: Carrier | None = None

    def insert(self, carrier: Carrier | Passenger) -> None:
        """Add a live participant."""
        carrier.parked = False
        live = self.live
        if not live or live[-1].index < carrier.index:
            live.append(carrier)
        else:
            insort(live, carrier, key=_by_index)

    def admit(self, carrier: Carrier, eager: bool) -> None:
        """Add a carrier that is enabled again: as fresh if `eager`, otherwise as live."""
        carrier.ready = None
        if eager:
            self.fresh.append(carrier)
        else:
            self.insert(carrier)

    def take_fresh(self, me: Carrier | None) -> Carrier:
        """Make the next fresh carrier live and return it; `me` is the carrier that was running."""
        if not self.warming_up:
            self.warming_up, self._interrupted = True, me
        carrier = self.fresh.popleft()
        live = self.live
        if live and live[-1].index > carrier.index:
            insort(live, carrier, key=_by_index)
        else:
            live.append(carrier)
        carrier.parked = False
        return carrier

    def running_before(self) -> Carrier | None:
        """Record that all fresh carriers have run; return the carrier that was running before them."""
        self.warming_up = False
        return self._interrupted

    def unfinished_carriers(self) -> list[Carrier]:
        """Return the carriers that have not ended."""
        return [carrier for carrier in self.carriers if not carrier.done]
