"""The guarded lock graph: which lock threads ask for while they hold which, and the circles that can close.

After Bensalem and Havelund, "Dynamic Deadlock Analysis of Multi-threaded Programs" (2005). An edge leads from a lock
that is held to one that is asked for. It says which thread asks, which locks that thread holds (its gates), and in
which segments of the execution the first was taken and the second is asked for; segments are cut by start and join.
A circle of edges can be a deadlock if the threads are all different, no two of them hold a common lock, and
none asked for its second lock before another one, by start and join, could take its first.

Departures: an edge is made also where a thread was seen to block, whether it got the lock or not. The search for
circles goes on while the graph grows, so that edges can be forgotten: the last `MAX_ALIKE` with the same locks,
sites and gates are kept. There can be more circles than anybody has time for; after `MAX_LOOKS` looks at edges,
no more are sought in this execution, and `gave_up` says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from raddle.analysis.happens_before import Clock, HappensBefore
from raddle.analysis.lock_holders import LockHolders
from raddle.operation import ACQUIRE, BLOCKED, END, JOIN, RELEASE, START

MAX_ALIKE = 64
MAX_EDGE_VISITS = 50_000

FOLLOWED = frozenset({ACQUIRE, RELEASE, BLOCKED, START, END, JOIN})  # kinds of steps


class Edge(NamedTuple):
    """A thread asked for one lock while it held another."""

    held: int
    requested: int
    held_at: int  # the site where it was acquired
    requested_at: int
    gates: frozenset[int]  # every lock that the thread held, `held` among them
    thread: int
    known: Clock  # what start and join had ordered before `held` was acquired
    slot: int  # with `time`: the segment in which `asked` was asked for
    time: int

    def can_overlap(self, other: Edge) -> bool:
        """Can both threads stand there at the same time?"""
        return (
            self.thread != other.thread
            and self.gates.isdisjoint(other.gates)
            and other.known.get(self.slot, 0) < self.time
            and self.known.get(other.slot, 0) < other.time
        )


Cycle: TypeAlias = tuple[Edge, ...]  # each asks for what the next one holds


class LockGraph:
    """Follows one execution.

    >>> graph = LockGraph()
    >>> steps = [(0, "start", 1, 0), (0, "start", 2, 0)]
    >>> steps += [(1, "acquire", 7, 70001), (1, "acquire", 8, 70002), (1, "release", 8, 0), (1, "release", 7, 0)]
    >>> steps += [(2, "acquire", 8, 70003), (2, "acquire", 7, 70004)]
    >>> [[(edge.held, edge.requested) for edge in cycle] for step in steps for cycle in graph.step(*step)]
    [[(8, 7), (7, 8)]]
    """

    def __init__(self) -> None:
        self.gave_up = False
        self._edge_visits_left = MAX_EDGE_VISITS
        self._segments = HappensBefore()  # told of start, end and join only
        self._locks = LockHolders()
        self._known: dict[int, Clock] = {}  # by lock: when it was acquired
        self._requested: dict[int, set[tuple[object, ...]]] = {}  # by thread: in its segment
        self._edges: dict[int, dict[tuple[object, ...], deque[Edge]]] = {}  # by the lock that is held
        self._from: dict[int, set[int]] = {}  # by lock: those asked for while it was held
        self._into: dict[int, set[int]] = {}  # by lock: those held when it was asked for
        self._cyclic: set[int] = set()  # locks from which a way leads back, if only locks are looked at

    def step(self, thread: int, kind: str, target: int, site: int) -> list[Cycle]:
        """A thread did something; the circles that can close only since then."""
        if kind == ACQUIRE:
            cycles = self._request(thread, target, site)
            self._locks.acquire(thread, target, site)
            self._known[target] = self._segments.thread_clock(thread).publish()[2]
            return cycles
        if kind == BLOCKED:
            return self._request(thread, target, site)
        if kind == RELEASE:
            self._locks.release(target)
        elif kind in FOLLOWED:
            self._segments.step(thread, kind, target)
            self._requested.pop(thread, None)  # a new segment begins
        return []

    def forget(self, locks: Iterable[int]) -> None:
        """Nobody takes these any more. Their edges stay: a circle may close that they are part of."""
        for lock in locks:
            self._known.pop(lock, None)

    def _request(self, thread: int, lock: int, site: int) -> list[Cycle]:
        mine = self._locks.by(thread)
        if not mine or lock in mine:
            return []
        # Locks acquired anew since, in the same segment, bring nothing: fewer threads can meet them there.
        requested = self._requested.setdefault(thread, set())
        what = (lock, site, *mine.items())
        if what in requested:
            return []
        requested.add(what)
        gates = frozenset(mine)
        thread_clock = self._segments.thread_clock(thread)
        cycles: list[Cycle] = []
        for held, held_at in mine.items():
            edge = Edge(
                held, lock, held_at, site, gates, thread, self._known[held], thread_clock.slot, thread_clock.time
            )
            cycles += self._add(edge)
        return cycles

    def _add(self, edge: Edge) -> list[Cycle]:
        what = (edge.requested, edge.held_at, edge.requested_at, edge.gates)
        alike = self._edges.setdefault(edge.held, {}).setdefault(what, deque(maxlen=MAX_ALIKE))
        alike.append(edge)
        if self.gave_up:
            return []
        out = self._from.setdefault(edge.held, set())
        if edge.requested not in out:
            out.add(edge.requested)
            self._into.setdefault(edge.requested, set()).add(edge.held)
            # Does this close ways back? Most never do, and then nobody needs to look for circles.
            leading = self._reached(edge.held, self._into)
            if edge.requested in leading:
                self._cyclic |= leading & self._reached(edge.requested, self._from)
        if edge.held not in self._cyclic or edge.requested not in self._cyclic:
            return []
        return list(self._cycles(edge))

    def _reached(self, lock: int, neighbours: dict[int, set[int]]) -> set[int]:
        reached, open_ = {lock}, [lock]
        while open_ and not self.gave_up:
            fresh = neighbours.get(open_.pop(), set()) - reached
            self._count_visits(1 + len(fresh))
            reached |= fresh
            open_ += fresh
        return reached

    def _cycles(self, first: Edge) -> Iterator[Cycle]:
        """Depth first, over edges that lead back to where the first one comes from."""
        useful = self._reached(first.held, self._into) & self._cyclic
        path, ways = [first], [iter(self._after(first))]
        while ways and not self.gave_up:
            edge = next(ways[-1], None)
            if edge is None:
                ways.pop()
                path.pop()
                continue
            self._count_visits(1)
            if edge.requested not in useful or not all(edge.can_overlap(other) for other in path):
                continue
            if edge.requested == first.held:
                yield (*path, edge)
            else:
                path.append(edge)
                ways.append(iter(self._after(edge)))

    def _after(self, edge: Edge) -> list[Edge]:
        return [next_ for alike in self._edges.get(edge.requested, {}).values() for next_ in alike]

    def _count_visits(self, times: int) -> None:
        self._edge_visits_left -= times
        self.gave_up = self._edge_visits_left <= 0
