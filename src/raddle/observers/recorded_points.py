"""The scheduling points of a recorded execution, in which the engine is called at every operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raddle.engine.carrier import Carrier
from raddle.engine.points import AllPoints, KnownPoints, Points, is_point
from raddle.site import SiteTable

if TYPE_CHECKING:
    from raddle.engine.engine import Engine

MAX_PASSED = 64  # maximum length of each list in `passed_sites`


class RecordedPoints(Points):
    """The points of an execution whose trace and schedule are recorded.

    `everywhere` makes every operation a scheduling point. Replaying a schedule from its text requires this, because the
    text does not depend on the known points. Otherwise the points are those of the execution being repeated.
    """

    follows_sites = True

    def __init__(self, table: SiteTable, *, everywhere: bool, with_gil: bool) -> None:
        super().__init__()
        self.sites = self.visible = AllPoints()
        self.with_gil = with_gil
        self._table = table
        self._everywhere = everywhere
        # For each thread: the sites that it has passed since its last synchronization, and whether CPython can switch
        # threads before each of them.
        self.passed_sites: dict[int, list[tuple[int, bool]]] = {}

    def begin(self, known_points: KnownPoints) -> None:
        self.passed_sites = {}

    def add(self, sites: object) -> None:
        """Ignore new points, because the engine is already called at every site."""

    def pass_by(self, me: Carrier, site: int) -> None:
        switchable = self._table[site].switchable
        if switchable:
            me.can_switch = True
        passed = self.passed_sites.setdefault(me.index, [])
        if not passed or passed[-1][0] != site:
            passed.append((site, switchable))
            del passed[:-MAX_PASSED]

    def arrive(self, me: Carrier, site: int) -> bool:
        return True

    def is_point(self, me: Carrier, engine: Engine) -> bool:
        """Return whether the operation that a participant has reached is a scheduling point."""
        if me.kind.is_access:
            self.pass_by(me, me.site)
        return self._everywhere or is_point(me, engine.known_points, engine.queue.carriers, with_gil=self.with_gil)

    def passed(self, me: Carrier, engine: Engine) -> None:
        """Record that a participant continues from a scheduling point."""
        if not me.kind.is_access:
            self.passed_sites[me.index] = []
            me.can_switch = False
        elif me.site in engine.known_points.sites:
            me.can_switch = False
