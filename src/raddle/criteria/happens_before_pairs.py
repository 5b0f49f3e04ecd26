"""HBPair: pairs of sites at which two threads synchronize with each other, and the resource involved.

A taking step (such as an acquire) synchronizes with the last giving step (such as a release) on the same resource if
the two steps are by different threads. Earlier giving steps either happen before the last one or have already been
paired. The giving step depends on the primitive:

* Lock: the last release, by any thread. Waiting for a condition releases and reacquires the condition's lock at the
  site of the wait.
* Condition: the last notify before the thread was woken. If there were several notify calls, it is not known which of
  them woke the thread.
* Event: the last set before the wait returned, even if the event was already set.
* Semaphore: the last release (`up`). No thread supplies the initial permits, so they form no pairs.
* Queue: the last put before a get, regardless of which thread put the item. The order of items depends on the queue
  (LIFO, priority), but the get comes after the last put no matter which item it takes. For `join`, the giving step is
  the last `task_done`.
* Starts and joins have no resource, so the key contains "" instead. For a new thread, the site is the first one that
  the thread reaches, usually the entry of its function. For a thread that has ended, the site is the last one that the
  thread reached. A thread that reaches no probe forms no pair.
* Pool: one pair leads from the site where a task is submitted to the task's first site, another from the task's last
  site to the site where the result is taken. The pool's own code, which begins and ends tasks, has no probes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from raddle.criteria.synchronization_metrics import Note, SynchronizationMetric
from raddle.criteria.variable_metrics import describe_thread
from raddle.entities import AbstractObject, Entities
from raddle.operation import (
    ACCESSES,
    ACQUIRE,
    ACTOR_CHANGES,
    CALLS,
    END,
    GET,
    JOIN,
    RELEASE,
    SET,
    START,
    TAKES,
    TASK,
    UP,
)
from raddle.requirement import RESOURCE, SITE, THREAD, Shape
from raddle.site import Site, where
from raddle.step import Step
from raddle.tally import Key

# Maps each kind of taking step to the matching kind of giving step.
GIVERS: dict[str, str] = {kind: kind.partner for kind in TAKES}
_NOTHING = -1  # used in place of a resource for starts and joins
_FUTURE = "Future"  # the type of the resource that a pool task sets when it ends

_Giving: TypeAlias = tuple[int, int, int]  # site, thread, actor


class HappensBeforePairs(SynchronizationMetric):
    """A requirement is (site of the giving step, site of the taking step, resource)."""

    name = "hbpair"
    points = frozenset({SET, UP})  # only the last set or up counts; releases of a lock are already ordered
    shape = Shape(SITE, SITE, RESOURCE)
    summary = (
        "the last synchronization on the resource before the second site is by another thread at the first site (a "
        "release before an acquire, a put before a get), or a start or a join orders the two sites"
    )

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        # For each kind and resource: the last giving step.
        self._given: dict[str, dict[int, _Giving]] = {kind: {} for kind in GIVERS.values()}
        self._fresh: dict[int, _Giving] = {}  # maps each thread that has reached no site to the step that started it
        # Maps each thread that has reached no site of its task yet to the step that submitted the task and to the pool.
        self._tasks: dict[int, tuple[_Giving, int] | None] = {}
        self._last: dict[int, int] = {}  # maps each thread to the last site that it reached
        self._ended: dict[int, _Giving] = {}

    def feed(self, steps: Iterable[Step]) -> None:
        actors, fresh, last, by_thread = self._actors, self._fresh, self._last, self.by_thread
        tasks = self._tasks
        given, taken_from = self._given, {kind: self._given[giver] for kind, giver in GIVERS.items()}
        released, notes = given[RELEASE], self._notes
        for thread, kind, target, site in steps:  # checks the most frequent steps first: accesses, then locks
            if site:
                if fresh and thread in fresh:
                    self._pair(fresh.pop(thread), thread, site, _NOTHING)
                if tasks and thread in tasks:
                    submitted = tasks.pop(thread)
                    if submitted is not None:
                        self._pair(submitted[0], thread, site, submitted[1])
                last[thread] = site
            if kind in ACCESSES:
                continue
            if kind == ACQUIRE:
                giving = released.get(target)
                if giving is not None and giving[1] != thread and giving[0] and site:
                    notes.add((giving[0], site, target, giving[2], actors[thread] if by_thread else 0))
            elif kind == RELEASE:
                released[target] = (site, thread, actors[thread] if by_thread else 0)
            elif kind in CALLS:
                continue
            elif kind in given:
                if kind == SET and not site and self._entities.resources[target].type == _FUTURE:
                    site = 0 if thread in tasks else last.get(thread, 0)  # where the task ended
                given[kind][target] = (site, thread, actors[thread] if by_thread else 0)
            elif kind in taken_from:
                giving = taken_from[kind].get(target)
                if giving is not None and giving[1] != thread:
                    if kind == GET and not site and thread in tasks:
                        tasks[thread] = giving, target
                    else:
                        self._pair(giving, thread, site, target)
            elif kind in ACTOR_CHANGES:
                actors.turn(thread, target)
                if kind == TASK:
                    tasks[thread] = None
            elif kind == START:
                fresh[target] = (site, thread, actors[thread] if by_thread else 0)
            elif kind == END:
                fresh.pop(thread, None)
                self._ended[thread] = (last.pop(thread, 0), thread, actors[thread] if by_thread else 0)
            elif kind == JOIN:
                giving = self._ended.get(target)
                if giving is not None:
                    self._pair(giving, thread, site, _NOTHING)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        for given in self._given.values():
            for resource in resources:
                given.pop(resource, None)

    def _pair(self, giving: _Giving, thread: int, site: int, resource: int) -> None:
        given_at, giver, actor = giving
        if giver != thread and given_at and site:
            self._notes.add((given_at, site, resource, actor, self._actors[thread] if self.by_thread else 0))

    def _key(self, note: Note) -> Key:
        given_at, taken_at, resource = note[:3]
        return given_at, taken_at, "" if resource == _NOTHING else self._entities.resources[resource]

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        given_at, taken_at, resource = key[:3]
        giver, taker = key[3:] if self.by_thread else (None, None)
        first = f"{describe_thread('A', giver)} {where(given_at, sites)}"
        then = f"{describe_thread('B', taker)} {where(taken_at, sites)}"
        if not resource:
            return f"{first} synchronizes with {then} by a start or a join"
        return f"{first} synchronizes with {then} through {AbstractObject(*resource)}"

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        given_at, taken_at = key[:2]
        return ((given_at, taken_at),)


class HappensBeforePairsByThread(HappensBeforePairs):
    """A requirement is (giving site, taking site, resource, giving thread, taking thread)."""

    name = "hbpair*"
    shape = Shape(SITE, SITE, RESOURCE, THREAD, THREAD)
    summary = (
        "a requirement of `hbpair` is covered by the first thread at the first site and the second thread at the second"
    )
    by_thread = True

    def _key(self, note: Note) -> Key:
        return (*super()._key(note), self._actor(note[3]), self._actor(note[4]))
