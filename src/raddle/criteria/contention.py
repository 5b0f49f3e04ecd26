"""Sync: whether each synchronization operation was reached, and whether threads contended there.

Trainin et al. proposed this criterion (PADTAD 2009), and Křena, Letko and Vojnar use it. A requirement is a site and a
situation:

* Locks: an acquire that a thread reaches is *visited*. It is *blocked* if another thread holds the lock. If another
  thread has to wait for the lock acquired there, the acquire is *blocking*. A nested acquire of a reentrant lock is
  visited, and so is an acquire that fails, immediately or after a timeout. An acquire that fails immediately does not
  wait, so it is not blocked, and the holder's acquire is not blocking.
* Semaphores, queues, events: calls that give or take are *visited*. Such a call is *blocked* if the thread has to wait
  there. No particular thread causes the wait, so no call is *blocking*.
* Conditions: calls to wait and notify are *visited*. A wait is *notified* if a notification, not a timeout, ends it. If
  at least one thread is waiting and has not been woken yet, a notify is *heard*; otherwise it is *unheard*.

The situations for conditions are raddle's own; the paper gives only those for locks, as an example. A blocked acquire
is also visited, even if the execution ends there. There is no *failed* situation, because the published criterion has
none. The branch that a program takes after a failed call is a requirement of `blocks`.
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

_CALLS = (GIVES | TAKES | {CLEAR}) - {ACQUIRE, RELEASE, WOKEN, NOTIFY}  # calls on semaphores, queues and events
_VISITS = _CALLS | {ACQUIRE, REENTER, FAILED, operation.BLOCKED, WAIT, NOTIFY}

_CLAUSES = {
    VISITED: "a thread reaches the synchronization operation {place}",
    BLOCKED: "a thread blocks {place}",
    BLOCKING: "another thread blocks on the lock acquired {place}",
    NOTIFIED: "a thread that waits {place} is notified",
    HEARD: "a thread is waiting when the condition is notified {place}",
    UNHEARD: "no thread is waiting when the condition is notified {place}",
}


class Contention(SynchronizationMetric):
    """A requirement is (site, situation)."""

    name = "sync"
    concerns = _VISITS | {RELEASE, WOKEN}
    points = frozenset({RELEASE, SET, UP})  # the later these operations happen, the more threads can block
    shape = Shape(SITE, word("situation"))
    summary = "the situation (visited, blocked, blocking, notified, heard or unheard) occurs at the site"

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._holders: dict[int, tuple[int, int]] = {}  # maps each lock to its holder and the site of the acquire
        self._visited: set[int] = set()
        self._waiting: dict[int, int] = {}  # maps each waiting thread to the condition it is waiting for

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
                    waiting.pop(thread, None)  # if the thread had not been woken, its wait timed out
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
