"""Avio: accesses by other threads between two consecutive accesses by a thread.

Two consecutive accesses by a thread to a variable form a block. A requirement is covered if another thread accesses the
variable between the beginning and the end of a block. Only the last such access counts. All eight combinations of reads
and writes count, not only the four that are unserializable (`raddle.checks.warned_variables` warns about these). A
block without an access by another thread in between covers nothing.

Accesses of a pool worker in two different tasks do not form a block, because each task is a different actor.
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

BITS = 24  # number of bits for each site number in a note
MASK = (1 << BITS) - 1


class Avio(VariableMetric):
    """A requirement is (beginning of the block, end of the block, access in between)."""

    name = "avio"
    points = frozenset({READ})  # all three accesses of a requirement can be reads
    shape = Shape(SITE, SITE, SITE)
    summary = (
        "two consecutive accesses to a variable by a thread are at the first and the second site, and the last access "
        "by another thread between them is at the third site"
    )

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._last: dict[int, _LastAccesses] = {}
        # A note packs three site numbers into one integer, because there can be many notes and tuples take more memory.
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
                    # The latest access was made by another thread, so it is the last one between this thread's previous
                    # access and the current one.
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
    """A requirement is (beginning of block, end of block, access in between, variable, thread, other thread)."""

    name = "avio*"
    shape = Shape(SITE, SITE, SITE, VARIABLE, THREAD, THREAD)
    summary = (
        "a requirement of `avio` is covered for that variable, by the first thread at the first two sites and the "
        "second thread at the third"
    )
    starred = True

    def _named(self, group: Group, names: ActorNames) -> Key:
        variable, actor, other = group
        return self._entities.variables[variable], names[actor], names[other]

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, thread, other = key[3:]
        return _clause(sites, key, describe_thread("A", thread), describe_thread("B", other), variable=variable)


class _LastAccesses:
    """The last accesses to one variable, each given by site number and actor."""

    __slots__ = ("access", "by_thread", "thread")

    def __init__(self) -> None:
        self.thread = -1  # thread that made the last access; -1 if there is none
        self.access = (0, -1)
        self.by_thread: dict[int, tuple[int, int]] = {}


def _clause(sites: Mapping[int, Site], key: Key, thread: str, other: str, *, variable: Any = None) -> str:
    first, second, between = key[:3]
    return (
        f"{thread} {describe_access(first, sites, variable=variable)} and next "
        f"{describe_repeated_access(second, sites)}, and the last access in between is by {other}, which "
        f"{describe_repeated_access(between, sites)}"
    )
