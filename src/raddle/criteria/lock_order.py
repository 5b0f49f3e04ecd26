"""GoodLock: pairs of locks, one of which is requested while the other is held.

Every lock that the thread holds forms a pair with the requested lock, not only the lock acquired last. A request counts
when the thread reaches the acquire, whether or not it gets the lock. So a request that ends in a deadlock, fails or
times out forms a pair too. Two locks created at the same place are one abstract lock, so both locks of a pair can have
the same name. The locksets of the guarded lock graph are left out, as in the paper. This criterion does not search for
cycles; `raddle.checks.lock_cycles` does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from raddle.analysis.lock_holders import LockHolders
from raddle.criteria.synchronization_metrics import Note, SynchronizationMetric
from raddle.criteria.variable_metrics import describe_thread
from raddle.entities import AbstractObject, Entities
from raddle.operation import ACQUIRE, ACTOR_CHANGES, BLOCKED, FAILED, RELEASE
from raddle.requirement import LOCK, SITE, THREAD, Shape
from raddle.site import Site, where
from raddle.step import Step
from raddle.tally import Key

_REQUESTS = frozenset({ACQUIRE, BLOCKED, FAILED})


class GoodLock(SynchronizationMetric):
    """A requirement is (site acquiring the first lock, site requesting the second lock, first lock, second lock)."""

    name = "goodlock"
    by_order = True  # requirements depend only on the order of steps within each thread
    shape = Shape(SITE, SITE, LOCK, LOCK)
    summary = (
        "a thread requests the second lock at the second site while it holds the first, acquired at the first site"
    )

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._holders = LockHolders()
        self._locks: set[int] = set()  # resources acquired in this execution, which are therefore locks

    def feed(self, steps: Iterable[Step]) -> None:
        actors, holders, note, by_thread = self._actors, self._holders, self._notes.add, self.by_thread
        locks = self._locks
        for thread, kind, target, site in steps:
            if kind in _REQUESTS:
                if kind == ACQUIRE:
                    locks.add(target)
                elif target not in locks:  # not a lock: a thread can only block on a lock that was acquired before
                    continue
                held = holders.by(thread)
                if held and site:
                    actor = actors[thread] if by_thread else 0
                    for lock, held_at in held.items():
                        if held_at and lock != target:
                            note((held_at, site, lock, target, actor))
                if kind == ACQUIRE:
                    holders.acquire(thread, target, site)
            elif kind == RELEASE:
                holders.release(target)
            elif kind in ACTOR_CHANGES:
                actors.turn(thread, target)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        self._locks.difference_update(resources)

    def _key(self, note: Note) -> Key:
        held_at, site, held, acquired, _ = note
        return held_at, site, self._entities.resources[held], self._entities.resources[acquired]

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        held_at, site, held, acquired = key[:4]
        thread = describe_thread("A", key[4] if self.by_thread else None)
        return (
            f"{thread} requests {AbstractObject(*acquired)} {where(site, sites)} while it holds "
            f"{AbstractObject(*held)}, acquired {where(held_at, sites)}"
        )


class GoodLockByThread(GoodLock):
    """A requirement is (site acquiring the first lock, site requesting the second, first lock, second lock, thread)."""

    name = "goodlock*"
    shape = Shape(SITE, SITE, LOCK, LOCK, THREAD)
    summary = "a requirement of `goodlock` is covered by that thread"
    by_thread = True

    def _key(self, note: Note) -> Key:
        return (*super()._key(note), self._actor(note[4]))
