"""Scheduling points: the sites and kinds of operation at which the scheduler may switch.

A site becomes a scheduling point once it takes part in a conflict: two participants access one variable, at least one
of them writes, and neither a start nor a join orders the accesses. An order established by locks or events does not
count, because another schedule may reverse it. A new point takes effect in the next execution and is never dropped.
A search that switches only at the sites of conflicts misses no outcome. Accesses at other sites commute with all
operations of other participants, because only one participant at a time uses the data accessed there.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from raddle.engine.carrier import Carrier
from raddle.operation import END, Kind

RANDOM = "random"  # a kind without scheduling points, which says that random numbers were drawn
SAMPLE_AFTER = 16  # fully tracked executions without a new scheduling point, after which sampling starts
TRACKED_EVERY = 64  # while sampling, one execution in this many is fully tracked


class KnownPoints:
    """The sites that need a scheduling point, and the kinds of resource that are observed without blocking."""

    __slots__ = ("kinds", "sites", "version")

    def __init__(self) -> None:
        self.sites: set[int] = set()
        self.kinds: set[str] = set()
        self.version = 0  # grows with every new point; a search that enumerates schedules must then restart

    def copy(self) -> KnownPoints:
        """Return a copy, which does not change when more points become known."""
        copy = KnownPoints()
        copy.sites, copy.kinds, copy.version = set(self.sites), set(self.kinds), self.version
        return copy

    def add_site(self, number: int) -> None:
        """Turn a site into a scheduling point."""
        if number not in self.sites:
            self.sites.add(number)
            self.version += 1

    def add_operation(self, kind: Kind) -> None:
        """Treat operations of this kind as scheduling points, whether or not threads can observe when they happen.

        >>> from raddle.operation import JOIN, RELEASE
        >>> known_points = KnownPoints()
        >>> known_points.add_operation(RELEASE), known_points.add_operation(JOIN), sorted(known_points.kinds)
        (None, None, ['join', 'lock'])
        """
        self.add_kind(kind.point_if_observed or str(kind))

    def add_kind(self, name: str) -> None:
        """Treat releases of this kind of resource as scheduling points."""
        if name not in self.kinds:
            self.kinds.add(name)
            self.version += 1


class AllPoints:
    """A container that appears to contain every site and every kind of resource."""

    def __contains__(self, _: object) -> bool:
        return True


class Points:
    """The scheduling points of the current execution: those known when it began."""

    with_gil = False  # True for the points of CPython with the GIL
    follows_sites = False  # True if `pass_by` must be called for every site that a participant reaches

    def __init__(self) -> None:
        self.sites: Container[int] = set()
        self.visible: Container[str] = set()  # kinds of resource observed without blocking: their releases are points
        self._version = -1

    def begin(self, known_points: KnownPoints) -> None:
        """Set the points of a new execution. The sets are changed in place, because probes keep references to them."""
        if self._version != known_points.version:
            self._version = known_points.version
            self.sites.clear()  # type: ignore[attr-defined]
            self.sites.update(known_points.sites)  # type: ignore[attr-defined]
            self.visible.clear()  # type: ignore[attr-defined]
            self.visible.update(known_points.kinds)  # type: ignore[attr-defined]

    def forget(self) -> None:
        """Make the next execution copy its points again, because it uses another `KnownPoints`."""
        self._version = -1

    def add(self, sites: Iterable[int]) -> None:
        """Add points during an execution."""
        self.sites.update(sites)  # type: ignore[attr-defined]

    def pass_by(self, me: Carrier, site: int) -> None:
        """Record that a participant has reached a site; called only if `follows_sites` is true."""

    def arrive(self, me: Carrier, site: int) -> bool:
        """Return whether the site that a participant reaches is a scheduling point."""
        return site in self.sites


class GilPoints(Points):
    """The scheduling points of CPython with the GIL.

    The interpreter can drop the GIL at function entries, at backward jumps and after calls. Once a thread passes a
    site that follows such a place, it can be preempted at its next scheduling point.
    """

    with_gil = follows_sites = True

    def __init__(self, switchable: set[int]) -> None:
        super().__init__()
        self._switchable = switchable

    def pass_by(self, me: Carrier, site: int) -> None:
        if site in self._switchable:
            me.can_switch = True

    def arrive(self, me: Carrier, site: int) -> bool:
        if site in self._switchable:
            me.can_switch = True
        if site in self.sites and me.can_switch:
            me.can_switch = False
            return True
        return False


class Sampling:
    """The sites whose accesses need no tracking in this execution.

    Once no new scheduling point has been found for a while, most executions track few accesses. Sites that are not
    scheduling points become "cold": their probes only perform the access. Scheduling points become "hot": the scheduler
    may switch there, but the access is not tracked. Only searches that do not claim to be exhaustive may sample. The
    dictionaries map a site to the class of an object accessed there. They are changed in place, because probes keep
    references to them.
    """

    def __init__(self) -> None:
        self.allowed = False
        self.tracking = True  # True if every access of this execution is tracked
        self.cold: dict[int, type | None] = {}
        self.hot: dict[int, type | None] = {}
        self.reached_sites: dict[int, type | None] = {}
        self.wanted: set[int] | None = None  # sites whose steps an observer needs, so they never become cold
        self.executions_since_new_point = 0  # tracked executions since the last new scheduling point
        self._version = -1

    def begin(self, known_points: KnownPoints, executions: int, *, with_gil: bool) -> None:
        """Decide what to track in a new execution; `executions` is the number of executions before it."""
        if known_points.version != self._version:
            self.executions_since_new_point, self._version = 0, known_points.version
        if not (self.allowed and self.executions_since_new_point >= SAMPLE_AFTER and executions % TRACKED_EVERY):
            self.executions_since_new_point += 1
            self.tracking = True
            self.cold.clear()
            self.hot.clear()
        elif self.wanted is not None:
            if not self.cold:
                unwanted = self.reached_sites.keys() - known_points.sites - self.wanted
                self.cold.update({site: self.reached_sites[site] for site in unwanted})
        elif self.tracking:
            self.tracking = False
            for site, kind in self.reached_sites.items():
                if site not in known_points.sites:
                    self.cold[site] = kind
                elif not with_gil:
                    self.hot[site] = kind


def is_point(me: Carrier, known_points: KnownPoints, others: Iterable[Any], *, with_gil: bool) -> bool:
    """Return whether the pending operation of `me` is a scheduling point according to `known_points`."""
    kind = me.kind
    if kind.is_access:
        return me.site in known_points.sites and (not with_gil or me.can_switch)
    if kind == END:
        return end_is_point(me, known_points.kinds, others)
    return not kind.point_if_observed or kind.point_if_observed in known_points.kinds


def end_is_point(me: Carrier, kinds: Container[str], others: Iterable[Any]) -> bool:
    """Return whether other participants can observe when `me` ends.

    They can if a participant checks whether others are alive, or if the end of the last non-daemon participant ends the
    daemons.
    """
    if me.index and "thread" in kinds:
        return True
    return "daemon" in kinds and not me.daemon and any(other.daemon for other in others)
