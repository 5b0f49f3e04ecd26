"""Potential deadlocks: cycles in the order in which threads acquire locks.

`raddle.analysis.lock_graph` finds the cycles of one execution. A warning identifies a cycle by the abstract names of
its locks and by its sites, so each cycle is reported once, no matter in which executions and threads it occurred.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raddle.analysis.lock_graph import FOLLOWED, Cycle, LockGraph
from raddle.entities import AbstractObject, Entities
from raddle.step import Step
from raddle.warning import POTENTIAL_DEADLOCK, ReportedWarning

ARROW = " -> "  # separates the locks of a cycle

_Link = tuple[AbstractObject, int, int]  # held lock, site where it was acquired, site where the next lock is requested


class LockCycles:
    """Finds potential deadlocks in all executions that it observes.

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
        self.gave_up = False  # True if the search in some execution stopped before it had found all cycles
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """Prepare for the steps of a new execution."""
        self._entities = entities
        self._graph = LockGraph()

    def feed(self, steps: Iterable[Step]) -> None:
        """Process the next steps of the execution, in order."""
        follow = self._graph.step
        for thread, kind, target, site in steps:
            if kind in FOLLOWED:
                for cycle in follow(thread, kind, target, site):
                    self._found.add(self._links(cycle))
        self.gave_up |= self._graph.gave_up

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Drop the state of resources that no later step touches."""
        self._graph.forget(resources)

    def warnings(self) -> list[ReportedWarning]:
        """Return a warning for each cycle found so far.

        For each thread of a cycle, a warning lists the site where the thread acquired its lock and the site where it
        requests the next lock.
        """
        return [
            ReportedWarning(
                POTENTIAL_DEADLOCK,
                ARROW.join(str(lock) for lock, _, _ in links),
                tuple(site for _, held_at, requested_at in links for site in (held_at, requested_at)),
            )
            for links in sorted(self._found)
        ]

    def _links(self, cycle: Cycle) -> tuple[_Link, ...]:
        """Return the links of a cycle in a canonical order: the smallest of all rotations."""
        links = [(self._entities.resources[edge.held], edge.held_at, edge.requested_at) for edge in cycle]
        return min(tuple(links[i:] + links[:i]) for i in range(len(links)))
