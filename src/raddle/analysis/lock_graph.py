"""The guarded lock graph: lock requests by threads that hold other locks, and the potential deadlock cycles.

Based on Bensalem and Havelund, "Dynamic Deadlock Analysis of Multi-threaded Programs" (2005). An edge leads from a held
lock to a requested lock. The edge records the thread, the locks that the thread holds (the gates), and the segments of
the execution in which the first lock was acquired and the second requested. Segments are delimited by thread starts and
joins. A cycle of edges is a potential deadlock if three conditions hold: the threads are all different, no two
of them hold a common lock, and starts and joins do not order one thread's request before another thread's first
acquire.

This implementation departs from the paper as follows. A thread that blocks on a lock also adds an edge, whether or not
it gets the lock. The search for cycles runs while the graph grows, so that edges can be dropped: only the last
`MAX_ALIKE` edges with the same locks, sites and gates are kept. Finding all cycles can take too long, so the search in
one execution stops after visiting `MAX_EDGE_VISITS` edges and sets `gave_up`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from raddle.analysis.happens_before import Clock, HappensBefore
from raddle.analysis.lock_holders import LockHolders
from raddle.operation import ACQUIRE, BLOCKED, END, JOIN, RELEASE, START

MAX_ALIKE = 64  # maximum number of edges kept with the same locks, sites and gates
MAX_EDGE_VISITS = 50_000  # maximum number of edge visits in the search for cycles, per execution

FOLLOWED = frozenset({ACQUIRE, RELEASE, BLOCKED, START, END, JOIN})  # the kinds of steps that the graph needs


class Edge(NamedTuple):
    """A request for one lock by a thread that held another."""

    held: int
    requested: int
    held_at: int  # the site where the held lock was acquired
    requested_at: int
    gates: frozenset[int]  # all locks that the thread held, including `held`
    thread: int
    known: Clock  # the clock of starts and joins when `held` was acquired
    slot: int  # `slot` and `time` identify the segment in which the lock was requested
    time: int

    def can_overlap(self, other: Edge) -> bool:
        """Return whether the two requests can be pending at the same time."""
        return (
            self.thread != other.thread
            and self.gates.isdisjoint(other.gates)
            and other.known.get(self.slot, 0) < self.time
            and self.known.get(other.slot, 0) < other.time
        )


Cycle: TypeAlias = tuple[Edge, ...]  # the lock requested in each edge is the lock held in the next edge


class LockGraph:
    """Builds the lock graph of one execution.

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
        self._segments = HappensBefore()  # receives only starts, ends and joins
        self._locks = LockHolders()
        self._known: dict[int, Clock] = {}  # maps each lock to the clock at its acquire
        # Maps each thread to the requests already added in its current segment.
        self._requested: dict[int, set[tuple[object, ...]]] = {}
        self._edges: dict[int, dict[tuple[object, ...], deque[Edge]]] = {}  # edges by held lock
        self._from: dict[int, set[int]] = {}  # maps each lock to the locks requested while it was held
        self._into: dict[int, set[int]] = {}  # maps each lock to the locks held when it was requested
        self._cyclic: set[int] = set()  # locks that lie on a cycle, ignoring threads, gates and segments

    def step(self, thread: int, kind: str, target: int, site: int) -> list[Cycle]:
        """Process one step; return the potential deadlock cycles that it completes."""
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
            self._requested.pop(thread, None)  # a new segment starts
        return []

    def forget(self, locks: Iterable[int]) -> None:
        """Drop the clocks of locks that no later step uses; keep their edges for later cycles."""
        for lock in locks:
            self._known.pop(lock, None)

    def _request(self, thread: int, lock: int, site: int) -> list[Cycle]:
        held_locks = self._locks.by(thread)
        if not held_locks or lock in held_locks:
            return []
        # Repeating the request in the same segment adds no cycles, because a later clock can only rule out more edges.
        requested = self._requested.setdefault(thread, set())
        signature = (lock, site, *held_locks.items())
        if signature in requested:
            return []
        requested.add(signature)
        gates = frozenset(held_locks)
        thread_clock = self._segments.thread_clock(thread)
        cycles: list[Cycle] = []
        for held, held_at in held_locks.items():
            edge = Edge(
                held, lock, held_at, site, gates, thread, self._known[held], thread_clock.slot, thread_clock.time
            )
            cycles += self._add(edge)
        return cycles

    def _add(self, edge: Edge) -> list[Cycle]:
        signature = (edge.requested, edge.held_at, edge.requested_at, edge.gates)
        alike = self._edges.setdefault(edge.held, {}).setdefault(signature, deque(maxlen=MAX_ALIKE))
        alike.append(edge)
        if self.gave_up:
            return []
        out = self._from.setdefault(edge.held, set())
        if edge.requested not in out:
            out.add(edge.requested)
            self._into.setdefault(edge.requested, set()).add(edge.held)
            # Most new edges close no cycle: `requested` is not among the locks that lead to `held`.
            leading = self._reached(edge.held, self._into)
            if edge.requested in leading:
                self._cyclic |= leading & self._reached(edge.requested, self._from)
        if edge.held not in self._cyclic or edge.requested not in self._cyclic:
            return []
        return list(self._cycles(edge))

    def _reached(self, lock: int, neighbors: dict[int, set[int]]) -> set[int]:
        reached, open_ = {lock}, [lock]
        while open_ and not self.gave_up:
            fresh = neighbors.get(open_.pop(), set()) - reached
            self._count_visits(1 + len(fresh))
            reached |= fresh
            open_ += fresh
        return reached

    def _cycles(self, first: Edge) -> Iterator[Cycle]:
        """Yield the cycles that contain the edge `first`, using a depth-first search."""
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
