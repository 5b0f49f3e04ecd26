"""The run queue: the carriers of one execution, and which of them may be able to run.

The first steps of a new participant and the return from a join are no scheduling points: nothing in between can be
observed by others. So such "fresh" carriers run at once, up to their next point.
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
    """Carriers by state: live (may be enabled, by index), fresh (run at once), parked (in neither), done."""

    __slots__ = ("_interrupted", "carriers", "fresh", "live", "participants", "streak", "undone", "warming_up")

    def __init__(self) -> None:
        self.carriers: list[Carrier] = []  # all, by index
        self.participants = 0  # carriers and passengers so far
        self.live: list[Any] = []  # carriers, and passengers of carriers that wait for a turn
        self.fresh: deque[Carrier] = deque()
        self.streak = 0  # consecutive steps of one participant while others were enabled
        self.undone = 0  # carriers that the execution waits for
        self.warming_up = False  # are fresh carriers being run?
        self._interrupted: Carrier | None = None

    def insert(self, carrier: Carrier | Passenger) -> None:
        """Make a participant live."""
        carrier.parked = False
        live = self.live
        if not live or live[-1].index < carrier.index:
            live.append(carrier)
        else:
            insort(live, carrier, key=_by_index)

    def admit(self, carrier: Carrier, eager: bool) -> None:
        """Let a carrier run that is enabled without being asked: at once if `eager`, else when it is chosen."""
        carrier.ready = None
        if eager:
            self.fresh.append(carrier)
        else:
            self.insert(carrier)

    def take_fresh(self, me: Carrier | None) -> Carrier:
        """Return the next fresh carrier; `me` was running."""
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
        """Return the carrier that was running before fresh ones were, which no scheduler chose."""
        self.warming_up = False
        return self._interrupted

    def undone_carriers(self) -> list[Carrier]:
        """Return the carriers that have not ended."""
        return [carrier for carrier in self.carriers if not carrier.done]
