"""ConcurPairs: pairs of sites executed one immediately after the other, by the same thread or by two threads.

The whole execution is treated as one sequence of accesses to variables and calls to primitives. The entry of a function
or block, a blocked operation, and the beginning and end of a thread or task do not count, because no source code
corresponds to them. Code without probes does not count either. The paper monitors all accesses to variables. Here only
the recorded accesses count, and a recorder may leave out variables that only one thread ever accesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raddle.criteria.synchronization_metrics import Note, SynchronizationMetric, describe_site
from raddle.entities import Entities
from raddle.operation import BEGIN, CLEAR, END, READ, UNOBSERVABLE, WRITE
from raddle.requirement import SITE, Shape, word
from raddle.site import Site
from raddle.step import SYNCHRONIZING, Step
from raddle.tally import Key

MONITORED = (SYNCHRONIZING | {READ, WRITE, CLEAR}) - {BEGIN, END}


class ConcurrentPairs(SynchronizationMetric):
    """A requirement is (site, site, whether a thread switch is in between)."""

    name = "concur-pairs"
    shape = Shape(SITE, SITE, word("switch"))
    points = UNOBSERVABLE | {READ}  # all other monitored operations except thread starts are always scheduling points
    summary = "the second site is executed immediately after the first, by the same thread or by another one"

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._before = (-1, 0)  # thread and site of the previous step; site 0 if there is none

    def feed(self, steps: Iterable[Step]) -> None:
        note, monitored = self._notes.add, MONITORED
        thread_before, site_before = self._before
        for thread, kind, _, site in steps:
            if site and kind in monitored:
                if site_before:
                    note((site_before, site, thread != thread_before))
                thread_before, site_before = thread, site
        self._before = (thread_before, site_before)

    def _key(self, note: Note) -> Key:
        return note

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        first, second, switch = key
        follower = f"{'thread B' if switch else 'the same thread'} executes {describe_site(second, sites)}"
        return f"thread A executes {describe_site(first, sites)}, and immediately afterwards {follower}"

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        first, second, switch = key
        return ((first, second),) if switch else ()
