"""Sync: was each synchronization not only come to, but did threads get in each other's way there?

After Trainin et al. (PADTAD 2009), as Křena, Letko and Vojnar use it. A requirement is a place and a situation:

* a lock: its acquiring is *visited*; *blocked*, if another thread held the lock when this one came; and *blocking*, if
  another thread came while the lock was held that was acquired here. An inner acquire of a re-entrant lock is visited,
  and so is an acquire that fails, at once or after a timeout. One that fails at once was not stopped, so it was not
  blocked, and the lock's holder not blocking.
* semaphores, queues, events: the calls that give and those that take are *visited*; *blocked*, if the thread had to
  wait there. Nobody in particular is in its way, so there is no blocking.
* a condition: wait and notify are *visited*. A wait is *notified*, if it ended by that and not by its timeout. A
  notify is *heard*, if some thread waited and had not gone on yet, else *unheard*.

The last is ours; the paper gives the situations of a lock only, as an example. What was blocked is visited, too,
even if the execution ends there. There is no situation *failed*: the published criterion has none, and which way a
program goes after a failed call is a branch, which `blocks` counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raddle import operation
from raddle.criteria.synchronization_metrics import Note, SynchronizationMetric
from raddle.entities import Entities
from raddle.operation import (
    ACCESSES,
    ACQUIRE,
    CLEAR,
    FAILED,
    GIVES,
    NOTIFY,
    REENTER,
    RELEASE,
    SET,
    TAKES,
    UP,
    WAIT,
    WOKEN,
)
from raddle.requirement import SITE, Shape, word
from raddle.site import Site, where
from raddle.step import Step
from raddle.tally import Key

VISITED, BLOCKED, BLOCKING = "visited", "blocked", "blocking"
NOTIFIED, HEARD, UNHEARD = "notified", "heard", "unheard"

_CALLS = (GIVES | TAKES | {CLEAR}) - {ACQUIRE, RELEASE, WOKEN, NOTIFY}  # of semaphores, queues, events
_VISITS = _CALLS | {ACQUIRE, REENTER, FAILED, operation.BLOCKED, WAIT, NOTIFY}

_CLAUSES = {
    VISITED: "a thread reaches the synchronization {place}",
    BLOCKED: "a thread blocks {place}",
    BLOCKING: "another thread blocks on the lock acquired {place}",
    NOTIFIED: "a thread that waits {place} is notified",
    HEARD: "a thread is waiting when the condition is notified {place}",
    UNHEARD: "no thread is waiting when the condition is notified {place}",
}


class Contention(SynchronizationMetric):
    """(site, situation)"""

    name = "sync"
    concerns = _VISITS | {RELEASE, WOKEN}
    points = frozenset({RELEASE, SET, UP})  # the longer they take, the more threads are blocked
    shape = Shape(SITE, word("situation"))
    summary = "the situation (visited, blocked, blocking, notified, heard or unheard) occurs at the synchronization"

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._holders: dict[int, tuple[int, int]] = {}  # by lock: who has it, and where it was acquired
        self._visited: set[int] = set()
        self._waiting: dict[int, int] = {}  # by thread: the condition it waits on

    def feed(self, steps: Iterable[Step]) -> None:
        note, holders, waiting, visited = self._note, self._holders, self._waiting, self._visited
        for thread, kind, target, site in steps:
            if kind in ACCESSES:
                continue
            if kind == ACQUIRE:
                if site not in visited:
                    visited.add(site)
                    note(site, VISITED)
                if waiting:
                    waiting.pop(thread, None)  # by its timeout, if it was not woken before
                holders[target] = (thread, site)
                continue
            if kind == RELEASE:
                holders.pop(target, None)
                continue
            if site not in visited and kind in _VISITS:
                visited.add(site)
                note(site, VISITED)
            if kind == operation.BLOCKED:
                note(site, BLOCKED)
                holder, acquired_at = holders.get(target, (thread, 0))
                if holder != thread:
                    note(acquired_at, BLOCKING)
            elif kind == WAIT:
                waiting[thread] = target
            elif kind == WOKEN:
                note(site, NOTIFIED)
                waiting.pop(thread, None)
            elif kind == NOTIFY:
                note(site, HEARD if target in waiting.values() else UNHEARD)

    def _note(self, site: int, situation: str) -> None:
        if site:
            self._notes.add((site, situation))

    def _key(self, note: Note) -> Key:
        return note

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        site, situation = key
        return _CLAUSES[situation].format(place=where(site, sites))
