"""Potential deadlocks: locks that threads take in orders that can close a circle.

What makes a circle is said in `raddle.analysis.lock_graph`. Its locks are those of one execution; it is told by
their abstract names and by sites, so that the same circle is told once, whichever execution and threads showed it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raddle.analysis.lock_graph import FOLLOWED, Cycle, LockGraph
from raddle.entities import AbstractObject, Entities
from raddle.step import Step
from raddle.warning import POTENTIAL_DEADLOCK, ReportedWarning

ARROW = " -> "  # between the locks of a circle

_Link = tuple[AbstractObject, int, int]  # the lock that is held, where it was acquired, where the next is asked for


class LockCycles:
    """Watches executions, and remembers what it found in all of them.

    >>> from raddle.entities import make_entities
    >>> cycles = LockCycles()
    >>> cycles.begin(make_entities(resources=[AbstractObject("Lock", "m.py:1"), AbstractObject("Lock", "m.py:2")]))
    >>> cycles.feed([(0, "start", 1, 70000), (0, "acquire", 0, 70001), (0, "acquire", 1, 70002)])
    >>> cycles.feed([(0, "release", 1, 70002), (0, "release", 0, 70001)])
    >>> cycles.feed([(1, "acquire", 1, 70003), (1, "acquire", 0, 70004)])
    >>> [warning] = cycles.warnings()
    >>> warning.subject, warning.sites
    ('the Lock made at m.py:1 -> the Lock made at m.py:2', (70001, 70002, 70003, 70004))
    """

    def __init__(self) -> None:
        self._found: set[tuple[_Link, ...]] = set()
        self.gave_up = False  # in some execution there were too many circles to find them all
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """An execution begins."""
        self._cast = entities
        self._graph = LockGraph()

    def feed(self, steps: Iterable[Step]) -> None:
        """These steps happened, in this order."""
        follow = self._graph.step
        for thread, kind, target, site in steps:
            if kind in FOLLOWED:
                for cycle in follow(thread, kind, target, site):
                    self._found.add(self._links(cycle))
        self.gave_up |= self._graph.gave_up

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """There will be no more steps about these."""
        self._graph.forget(resources)

    def warnings(self) -> list[ReportedWarning]:
        """The circles of all executions so far. The sites: of each thread, where it acquired the lock that it
        holds, and where it asks for the next one."""
        return [
            ReportedWarning(
                POTENTIAL_DEADLOCK,
                ARROW.join(str(lock) for lock, _, _ in links),
                tuple(site for _, held_at, requested_at in links for site in (held_at, requested_at)),
            )
            for links in sorted(self._found)
        ]

    def _links(self, cycle: Cycle) -> tuple[_Link, ...]:
        """A circle begins anywhere; take the smallest of all ways to tell it."""
        links = [(self._cast.resources[edge.held], edge.held_at, edge.requested_at) for edge in cycle]
        return min(tuple(links[i:] + links[:i]) for i in range(len(links)))
