"""Scheduling points: which sites need one, and which policy decides at them.

A site becomes a point once a variable it touches was touched by two participants, one of them writing, in an order that
neither a start nor a join dictates. Orders that locks or events brought about do not count: another schedule may
reverse them. What executions taught is never forgotten, and takes effect from the next execution on. Restricting the
points to these sites loses no outcome: accesses elsewhere touch what only one participant uses at a time, so they
commute with everything the others do.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.operation import END, Kind

SETTLED_AFTER = 16  # fully tracked executions without news
SAMPLED_EVERY = 64


class KnownPoints:
    """The sites that need a scheduling point, and the kinds of resource that are looked at without blocking."""

    __slots__ = ("kinds", "sites", "version")

    def __init__(self) -> None:
        self.sites: set[int] = set()
        self.kinds: set[str] = set()
        self.version = 0  # grows with every new insight: a search that counts schedules must begin again

    def copy(self) -> KnownPoints:
        """Return a snapshot, which later insights do not change."""
        copy = KnownPoints()
        copy.sites, copy.kinds, copy.version = set(self.sites), set(self.kinds), self.version
        return copy

    def site(self, number: int) -> None:
        """Make a site a scheduling point."""
        if number not in self.sites:
            self.sites.add(number)
            self.version += 1

    def operation(self, kind: Kind) -> None:
        """Make operations of a kind scheduling points, whether or not threads can observe when they happen.

        >>> from raddle.operation import JOIN, RELEASE
        >>> known_points = KnownPoints()
        >>> known_points.operation(RELEASE), known_points.operation(JOIN), sorted(known_points.kinds)
        (None, None, ['join', 'lock'])
        """
        self.kind(kind.point_if_observed or str(kind))

    def kind(self, name: str) -> None:
        """Make releases of a kind of resource scheduling points."""
        if name not in self.kinds:
            self.kinds.add(name)
            self.version += 1


class Everything:
    """A container of every site and every kind of resource."""

    def __contains__(self, _: object) -> bool:
        return True


class Points:
    """The sites and kinds of resource that are points in this execution: those that were learned before it began."""

    with_gil = False  # are these the points of CPython with the GIL?
    follows_sites = False  # does it have to know of every site that a participant comes to?

    def __init__(self) -> None:
        self.sites: Container[int] = set()
        self.visible: Container[str] = set()  # kinds of resource that are looked at, so that releases are points
        self._version = -1

    def place(self, known_points: KnownPoints) -> None:
        """Begin an execution with what is known by now. The sets are changed in place, as probes keep them."""
        if self._version != known_points.version:
            self._version = known_points.version
            self.sites.clear()  # type: ignore[attr-defined]
            self.sites.update(known_points.sites)  # type: ignore[attr-defined]
            self.visible.clear()  # type: ignore[attr-defined]
            self.visible.update(known_points.kinds)  # type: ignore[attr-defined]

    def forget(self) -> None:
        """Place all points again in the next execution, which has another `KnownPoints`."""
        self._version = -1

    def add(self, sites: Iterable[int]) -> None:
        """Add points during an execution."""
        self.sites.update(sites)  # type: ignore[attr-defined]

    def pass_by(self, me: Carrier, site: int) -> None:
        """Note that a participant comes to a site, whatever it does there; only if `follows_sites`."""

    def arrive(self, me: Carrier, site: int) -> bool:
        """Return whether a participant that comes to a site has to stop there."""
        return site in self.sites


class GilPoints(Points):
    """Scheduling points as CPython with the GIL has them.

    The interpreter drops the GIL at function entries, backward jumps and after calls. A site with such a place
    before it opens the thread: it can be stopped at its next point, which closes it again.
    """

    with_gil = follows_sites = True

    def __init__(self, switchable: set[int]) -> None:
        super().__init__()
        self._switchable = switchable

    def pass_by(self, me: Carrier, site: int) -> None:
        if site in self._switchable:
            me.open = True

    def arrive(self, me: Carrier, site: int) -> bool:
        if site in self._switchable:
            me.open = True
        if site in self.sites and me.open:
            me.open = False
            return True
        return False


class Sampling:
    """Which sites need no probing in this execution.

    Once nothing new was learned for a while, most executions need not look at every site: those that never mattered
    are "cold" then, and scheduling points that need no tracking are "hot". Only searches that claim no completeness
    may sample so. The dicts map a site to a class met there, and are changed in place, as probes keep them.
    """

    def __init__(self) -> None:
        self.allowed = False
        self.tracking = True  # is every access of this execution noted?
        self.cold: dict[int, type | None] = {}
        self.hot: dict[int, type | None] = {}
        self.quiet: dict[int, type | None] = {}  # sites seen so far
        self.wanted: set[int] | None = None  # sites whose steps an observer wants, if it wants any: these stay warm
        self.settled = 0  # tracked executions since something was learned
        self._version = -1

    def begin(self, known_points: KnownPoints, executions: int, *, with_gil: bool) -> None:
        """Choose for the execution that begins."""
        if known_points.version != self._version:
            self.settled, self._version = 0, known_points.version
        if not (self.allowed and self.settled >= SETTLED_AFTER and executions % SAMPLED_EVERY):
            self.settled += 1
            self.tracking = True
            self.cold.clear()
            self.hot.clear()
        elif self.wanted is not None:
            if not self.cold:
                unwanted = self.quiet.keys() - known_points.sites - self.wanted
                self.cold.update({site: self.quiet[site] for site in unwanted})
        elif self.tracking:
            self.tracking = False
            for site, kind in self.quiet.items():
                if site not in known_points.sites:
                    self.cold[site] = kind
                elif not with_gil:
                    self.hot[site] = kind


def is_point(me: Carrier, known_points: KnownPoints, others: Iterable[Any], *, with_gil: bool) -> bool:
    """Return whether a pending operation is a scheduling point, by what is known so far."""
    kind = me.kind
    if kind.is_access:
        return me.site in known_points.sites and (not with_gil or me.open)
    if kind == END:
        return end_is_point(me, known_points.kinds, others)
    return not kind.point_if_observed or kind.point_if_observed in known_points.kinds


def end_is_point(me: Carrier, kinds: Container[str], others: Iterable[Any]) -> bool:
    """Return whether it can be observed when a participant ends.

    It can if some participant looks at whether others are alive, or if daemons are cut off by the end of the others.
    """
    if me.index and "thread" in kinds:
        return True
    return "daemon" in kinds and not me.daemon and any(other.daemon for other in others)
