"""Avio: who came between two accesses that may belong together?

Two consecutive accesses of a thread to a variable are a block. A requirement is covered when, at the end of a
block, another thread touched the variable since its beginning; only the last such access counts. All eight cases
of reads and writes do, not only the four that are unserializable (`raddle.checks.warned_variables` warns of
these). A block where nobody came between covers nothing.

What a pool's worker does for one task and for the next is no block: they are different actors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from raddle.criteria.actors import ActorNames
from raddle.criteria.variable_metrics import (
    Group,
    Note,
    VariableMetric,
    describe_access,
    describe_repeated_access,
    describe_thread,
)
from raddle.entities import Entities
from raddle.operation import ACCESSES, ACTOR_CHANGES, READ
from raddle.requirement import SITE, THREAD, VARIABLE, Shape
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

BITS = 24  # of the number of a site
MASK = (1 << BITS) - 1


class Avio(VariableMetric):
    """(beginning of the block, its end, what came between)"""

    name = "avio"
    points = frozenset({READ})  # the last access between two may be a read between reads
    shape = Shape(SITE, SITE, SITE)
    summary = (
        "a thread accesses a variable at the first site and next at the second, and the last access by another thread "
        "in between is at the third"
    )

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._last: dict[int, _LastAccesses] = {}
        # A note is one number, made of those of three sites: there can be very many, and tuples would take more room.
        self._numbers: dict[int, int] = {}
        self._sites: list[int] = []

    def feed(self, steps: Iterable[Step]) -> None:
        actors, last_accesses, starred, notes = self._actors, self._last, self.starred, self._noted.shared
        numbers = self._numbers
        for thread, kind, target, site in steps:
            if kind in ACCESSES:
                last = last_accesses.get(target)
                if last is None:
                    last = last_accesses[target] = _LastAccesses()
                actor = actors[thread]
                number = numbers.get(site)
                if number is None:
                    number = numbers[site] = len(numbers)
                    self._sites.append(site)
                if last.thread != thread:
                    # Whoever touched it last did so after this thread: nobody is between the two.
                    mine = last.by_thread.get(thread)
                    if mine is not None and mine[1] == actor:
                        between, other = last.access
                        note = (mine[0] << BITS | number) << BITS | between
                        notes[(target, actor, other) if starred else ()].add(note)
                    last.thread = thread
                last.access = last.by_thread[thread] = (number, actor)
            elif kind in ACTOR_CHANGES:
                actors.turn(thread, target)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        super().forget(variables, resources)
        for variable in variables:
            self._last.pop(variable, None)

    def _named(self, group: Group, names: ActorNames) -> Key:
        return ()

    def _key(self, note: Note, named: Key) -> Key:
        sites = self._sites
        return sites[note >> 2 * BITS], sites[note >> BITS & MASK], sites[note & MASK], *named

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return _clause(sites, key, describe_thread("A"), describe_thread("B"))

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        first, second, between = key[:3]
        return (first, between), (second, between)


class AvioByThread(Avio):
    """(beginning of the block, its end, what came between, variable, the block's thread, the other one)"""

    name = "avio*"
    shape = Shape(SITE, SITE, SITE, VARIABLE, THREAD, THREAD)
    summary = "the same, distinguished by variable, the thread of the first two accesses and the thread of the third"
    starred = True

    def _named(self, group: Group, names: ActorNames) -> Key:
        variable, actor, other = group
        return self._entities.variables[variable], names[actor], names[other]

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, thread, other = key[3:]
        return _clause(sites, key, describe_thread("A", thread), describe_thread("B", other), variable=variable)


class _LastAccesses:
    """The last accesses to one variable, each as number of the site and actor."""

    __slots__ = ("access", "by_thread", "thread")

    def __init__(self) -> None:
        self.thread = -1  # the last of all
        self.access = (0, -1)
        self.by_thread: dict[int, tuple[int, int]] = {}


def _clause(sites: Mapping[int, Site], key: Key, thread: str, other: str, *, variable: Any = None) -> str:
    first, second, between = key[:3]
    return (
        f"{thread} {describe_access(first, sites, variable=variable)} and next "
        f"{describe_repeated_access(second, sites)}, and the last access in between is by {other}, which "
        f"{describe_repeated_access(between, sites)}"
    )
