"""GoldiLocks: the check that decides whether an access to a variable at a site races with an earlier access.

Table 1 of the paper says "goldiLockSet.SC", but the text says "goldiLockSet". A lockset is computed only if none of the
three short-circuit checks (SC) can prove that there is no race. So a requirement names the check that gave the verdict.
If that was a short-circuit check, the lockset is empty, since none was computed. Otherwise the check is "lockset" or
"race", and the requirement contains a lockset. This is the lockset of the earlier access that determined the verdict
(see `raddle.analysis.goldilocks`), as it was before the current access reset it. The elements of a lockset are
abstract: ("resource", ...) for locks, events, semaphores, conditions and queues, and ("thread", ...) for threads. The
check is "first" if there is no earlier conflicting access.

If threads rarely synchronize, there are many different locksets. The paper also finds that coverage of the starred form
hardly ever saturates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from raddle.analysis.goldilocks import FIRST, LOCKSET, RACE, SAME_LOCK, SAME_THREAD, TWO_THREADS, Goldilocks
from raddle.analysis.locksets import HeldLocks
from raddle.criteria.actors import ActorNames
from raddle.criteria.variable_metrics import Group, Note, VariableMetric, describe_access, describe_thread
from raddle.entities import AbstractObject, AbstractThread, Entities
from raddle.operation import (
    ACCESSES,
    ACQUIRE,
    ACTOR_CHANGES,
    GIVES,
    JOIN,
    READ,
    RELEASE,
    START,
    TAKES,
    UNOBSERVABLE,
    WRITE,
)
from raddle.requirement import RESOURCE, SITE, THREAD, VARIABLE, Several, Shape, Tagged, word
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

Lockset = tuple[tuple[int, ...], tuple[int, ...]]  # resource numbers, one for each abstract object, and actors

_NO_LOCKSET: Lockset = ((), ())

_LOCKSET = Several("lockset", Tagged("element", {"resource": RESOURCE, "thread": THREAD}))


class GoldiLock(VariableMetric):
    """A requirement is (access, check, lockset)."""

    name = "goldilock"
    points = UNOBSERVABLE | {READ}  # every giving step extends locksets, on which the verdicts depend
    shape = Shape(SITE, word("check"), _LOCKSET)
    summary = (
        "a thread accesses a shared variable at the site, and GoldiLocks decides by that check, or by that lockset, "
        "whether the access is part of a race"
    )

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._held = HeldLocks()
        self._kinds: dict[AbstractObject, int] = {}
        self._goldilocks = Goldilocks(self._kind)

    def feed(self, steps: Iterable[Step]) -> None:
        actors, held, analysis = self._actors, self._held, self._goldilocks
        about, access, held_by, starred = self._noted.about, analysis.access, held.by, self.starred
        for thread, kind, target, site in steps:
            if kind in ACCESSES:
                write = kind == WRITE
                check, other, moment = access(thread, target, write=write, held=held_by(thread))
                lockset = _NO_LOCKSET
                if check is RACE or check is LOCKSET:
                    kinds, threads = analysis.lockset(other, moment)
                    lockset = (tuple(kinds), tuple([actors[member] for member in threads]))
                group = (target, lockset, actors[thread]) if starred else (lockset,)
                about(target, thread)[group].add((site, check))
            elif kind in GIVES:
                analysis.gives(thread, target)
                if kind == RELEASE:
                    held.released(thread, target)
            elif kind in TAKES:
                analysis.takes(thread, target)
                if kind == ACQUIRE:
                    held.acquired(thread, target)
            elif kind == START:
                analysis.starts(thread, target)
            elif kind == JOIN:
                analysis.joins(thread, target)
            elif kind in ACTOR_CHANGES:
                actors.turn(thread, target)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        super().forget(variables, resources)
        self._goldilocks.forget(variables, resources)

    def _kind(self, resource: int) -> int:
        """Return the number of the first resource with the same abstract object."""
        return self._kinds.setdefault(self._entities.resources[resource], resource)

    def _named(self, group: Group, names: ActorNames) -> Key:
        return (self._named_lockset(group[0], names),)

    def _named_lockset(self, lockset: Lockset, names: ActorNames) -> Any:
        kinds, actors = lockset
        resources = self._entities.resources
        elements = {("resource", resources[kind]) for kind in kinds} | {("thread", names[actor]) for actor in actors}
        return tuple(sorted(elements))

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        site, check, lockset = key
        return f"{describe_thread('A')} {describe_access(site, sites)} {_describe_check(check, lockset)}"


class GoldiLockByThread(GoldiLock):
    """A requirement is (access, variable, check, lockset, thread)."""

    name = "goldilock*"
    shape = Shape(SITE, VARIABLE, word("check"), _LOCKSET, THREAD)
    summary = "a requirement of `goldilock` is covered for that variable by that thread"
    starred = True

    def _named(self, group: Group, names: ActorNames) -> Key:
        variable, lockset, actor = group
        return self._entities.variables[variable], self._named_lockset(lockset, names), names[actor]

    def _key(self, note: Note, named: Key) -> Key:
        site, check = note
        variable, lockset, thread = named
        return site, variable, check, lockset, thread

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        site, variable, check, lockset, thread = key
        accesses = describe_access(site, sites, variable=variable)
        return f"{describe_thread('A', thread)} {accesses} {_describe_check(check, lockset)}"


_CHECK_CLAUSES = {
    FIRST: "with no earlier conflicting access",
    SAME_THREAD: "with no earlier conflicting access except its own",
    SAME_LOCK: "while holding a lock that was also held at the last conflicting access",
    TWO_THREADS: "after synchronizing directly with the thread that made the last conflicting access",
    LOCKSET: "after a conflicting access whose lockset is",
    RACE: "in a race with a conflicting access whose lockset is",
}


def _describe_check(check: str, lockset: Any) -> str:
    if check not in (LOCKSET, RACE):
        return f"{_CHECK_CLAUSES[check]} ({check})"
    through = [str(AbstractObject(*of)) for kind, of in lockset if kind == "resource"]
    threads = [str(AbstractThread(*of)) for kind, of in lockset if kind == "thread"]
    return f"{_CHECK_CLAUSES[check]} {' and '.join([*through, *threads])} ({check})"
