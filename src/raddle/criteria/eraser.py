"""Eraser: a variable's state in Eraser's automaton, and its candidate locks, when a site is reached.

Both are recorded before the access changes them. The paper's wording ("the state in which the automaton is when the
given location is reached") must mean the state before the access, because the paper lists the state "virgin", and no
variable is in this state after an access. In the states "virgin", "exclusive" and "exclusive'", Eraser considers every
lock a candidate, so the requirement names no locks.

Locks are abstract, so two locks created at the same place count as one. If a variable becomes shared, all accesses to
it count, from the first one on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from raddle.analysis.eraser import EXCLUSIVE, EXCLUSIVE_PRIME, MODIFIED, RACE, SHARED, VIRGIN, Guarded
from raddle.analysis.locksets import HeldLocks
from raddle.criteria.actors import ActorNames
from raddle.criteria.variable_metrics import (
    Group,
    Note,
    VariableMetric,
    describe_access,
    describe_locks,
    describe_thread,
)
from raddle.entities import Entities
from raddle.operation import ACCESSES, ACQUIRE, ACTOR_CHANGES, READ, RELEASE, WRITE
from raddle.requirement import LOCK, SITE, THREAD, VARIABLE, Several, Shape, word
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

_LOCKS = Several("locks", LOCK)


class Eraser(VariableMetric):
    """A requirement is (access, state, locks)."""

    name = "eraser"
    points = frozenset({READ})  # the order of two reads affects the states
    shape = Shape(SITE, word("state"), _LOCKS)
    summary = "a thread reaches the site while Eraser's automaton for the shared variable is in that state"

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._held = HeldLocks()
        self._guarded: dict[int, Guarded] = {}

    def feed(self, steps: Iterable[Step]) -> None:
        actors, about, held, guarded = self._actors, self._noted.about, self._held, self._guarded
        held_by, starred = held.by, self.starred
        for thread, kind, target, site in steps:
            if kind in ACCESSES:
                variable = guarded.get(target)
                if variable is None:
                    variable = guarded[target] = Guarded()
                locks = variable.candidates
                group = (target, locks, actors[thread]) if starred else (locks,)
                about(target, thread)[group].add((site, variable.state))
                variable.access(thread, write=kind == WRITE, held=held_by(thread))
            elif kind == ACQUIRE:
                held.acquired(thread, target)
            elif kind == RELEASE:
                held.released(thread, target)
            elif kind in ACTOR_CHANGES:
                actors.turn(thread, target)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        super().forget(variables, resources)
        for variable in variables:
            self._guarded.pop(variable, None)

    def _named(self, group: Group, names: ActorNames) -> Key:
        return (self._locks(group[0]),)

    def _locks(self, locks: frozenset[int]) -> Any:
        resources = self._entities.resources
        return tuple(sorted({resources[lock] for lock in locks}))

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        site, state, locks = key
        accesses = describe_access(site, sites)
        return f"{describe_thread('A')} {accesses} when {_STATE_CLAUSES[state]}{_describe_guards(state, locks)}"


class EraserByThread(Eraser):
    """A requirement is (access, variable, state, locks, thread)."""

    name = "eraser*"
    shape = Shape(SITE, VARIABLE, word("state"), _LOCKS, THREAD)
    summary = "a requirement of `eraser` is covered for that variable by that thread"
    starred = True

    def _named(self, group: Group, names: ActorNames) -> Key:
        variable, locks, actor = group
        return self._entities.variables[variable], self._locks(locks), names[actor]

    def _key(self, note: Note, named: Key) -> Key:
        site, state = note
        variable, locks, thread = named
        return site, variable, state, locks, thread

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        site, variable, state, locks, thread = key
        accesses = describe_access(site, sites, variable=variable)
        return f"{describe_thread('A', thread)} {accesses} when {_STATE_CLAUSES[state]}{_describe_guards(state, locks)}"


_STATE_CLAUSES = {
    VIRGIN: "no thread has accessed it yet (Eraser state: virgin)",
    EXCLUSIVE: "only one thread has accessed it (Eraser state: exclusive)",
    EXCLUSIVE_PRIME: "a second thread has taken it over (Eraser state: exclusive')",
    SHARED: "several threads share it, and it has only been read since it became shared (Eraser state: shared)",
    MODIFIED: "several threads share it, and it has been written since it became shared (Eraser state: modified)",
    RACE: "several threads share it, and it has been written without a common lock (Eraser state: race)",
}


def _describe_guards(state: str, locks: Any) -> str:
    return f", protected by {describe_locks(locks)}" if state in (SHARED, MODIFIED) else ""
