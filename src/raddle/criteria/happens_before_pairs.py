"""HBPair: which place in one thread was synchronised with which place in another, by what?

A taking step is synchronised with the last giving step on the same resource, if that was another thread's; earlier
ones were synchronised before, or are passed on with it. For each primitive:

* a lock: the last release, by whomever. Waiting on a condition releases and acquires its lock at the wait.
* a condition: the last notify before the thread was woken. Which of several it was that woke it is not told.
* an event: the last set before the wait went on, also where the event was set already.
* a semaphore: the last up. Permits that it began with are nobody's.
* a queue: the last put before a get, whoever put what the get got: the order of items is the queue's own business
  (lifo, priority), and the get comes after the last put whichever item it takes. The last task-done before a join.
* start and join have no object: "". The place in the new thread is the first site that it comes to, whatever
  happens there (the function that it runs is entered, as a rule); that in an ended thread is the last site that it
  came to. A thread that never comes to a probe makes no pair.
* a pool: from where a task is submitted to the first site of the task, and from its last site to where its result is
  taken. The pool itself begins and ends tasks, in code without probes.
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

GIVERS: dict[str, str] = {kind: kind.partner for kind in TAKES}  # what gives, for each kind of step that takes
_NOTHING = -1  # in place of a resource
_FUTURE = "Future"  # the type of the resource

_Giving: TypeAlias = tuple[int, int, int]  # site, thread, actor


class HappensBeforePairs(SynchronizationMetric):
    """(where something was given, where it was taken, by way of what)"""

    name = "hbpair"
    points = frozenset({SET, UP})  # which of two was last; locks and conditions have one holder at a time
    shape = Shape(SITE, SITE, RESOURCE)
    summary = (
        "the last synchronization on the resource before the second site is by another thread at the first site (a "
        "release before an acquire, a put before a get), or a start or a join orders the two sites"
    )

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._given: dict[str, dict[int, _Giving]] = {kind: {} for kind in GIVERS.values()}  # by kind and resource
        self._fresh: dict[int, _Giving] = {}  # by thread that came to no site yet: its start
        # By thread that came to no site of its task yet: where that was submitted, and to which pool.
        self._tasks: dict[int, tuple[_Giving, int] | None] = {}
        self._last: dict[int, int] = {}  # by thread: the last site it came to
        self._ended: dict[int, _Giving] = {}

    def feed(self, steps: Iterable[Step]) -> None:
        actors, fresh, last, by_thread = self._actors, self._fresh, self._last, self.by_thread
        tasks = self._tasks
        given, taken_from = self._given, {kind: self._given[giver] for kind, giver in GIVERS.items()}
        released, notes = given[RELEASE], self._notes
        for thread, kind, target, site in steps:  # first what is most of all: accesses, then locks
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
    """(where something was given, where it was taken, by way of what, who gave, who took)"""

    name = "hbpair*"
    shape = Shape(SITE, SITE, RESOURCE, THREAD, THREAD)
    summary = "the same, distinguished by the thread at the first site and the thread at the second"
    by_thread = True

    def _key(self, note: Note) -> Key:
        return (*super()._key(note), self._actor(note[3]), self._actor(note[4]))
