"""Interruptions: what another thread changed in the middle of a method. They show whether two failures have one cause.

A method that reads a counter and writes it back fails together with every other method that uses the counter. Its tests
differ, but the interruption is always the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from raddle.entities import Entities
from raddle.generation.distinct import Interruption
from raddle.generation.raw_patterns import is_countable
from raddle.operation import READ
from raddle.site import SiteTable
from raddle.step import Step

MAX_ACCESSES = 400  # accesses of a thread that are examined; more are made by loops

# Two accesses of a thread, and one of another thread in between, that no order of the two threads can replace.
_UNSERIALIZABLE = frozenset({"RWR", "WWR", "RWW", "WRW"})


class _Access(NamedTuple):
    position: int
    variable: int
    kind: str  # "R" or "W"
    site: int


def interruptions(steps: Sequence[Step], entities: Entities, table: SiteTable) -> list[Interruption]:
    """Return the interruptions in an execution: first those about one variable, in the order of their beginning.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> entities = make_entities(variables=[AbstractVariable("m.py:C", "", "n")])
    >>> from raddle.site import Site
    >>> table = SiteTable()
    >>> sites = tuple(Site("m.py", line, 0, "", "n", "C.add", switchable=True) for line in (1, 2))
    >>> table.add(70004, sites, file="m.py", path="m.py")
    >>> steps = [(1, "read", 0, 70004), (2, "read", 0, 70004), (2, "write", 0, 70005), (1, "write", 0, 70005)]
    >>> interruptions(steps, entities, table)
    [Interruption(variable='C.n', file='m.py', function='C.add')]
    """
    threads: dict[int, list[_Access]] = {}
    for position, step in enumerate(steps):
        if is_countable(step):
            thread, kind, variable, site = step
            threads.setdefault(thread, []).append(_Access(position, variable, "R" if kind == READ else "W", site))
    found = [
        (number, first.position, first, second)
        for thread, accesses in threads.items()
        for number, first, second in _interrupted(
            accesses[:MAX_ACCESSES], [access for other, more in threads.items() if other != thread for access in more]
        )
    ]
    found.sort()
    return list(dict.fromkeys(_named(first, second, entities, table) for _, _, first, second in found))


def _interrupted(mine: Sequence[_Access], theirs: Sequence[_Access]) -> Iterator[tuple[int, _Access, _Access]]:
    """Yield the pairs of accesses that others separate, each with the number of their variables."""
    by_variable: dict[int, list[_Access]] = {}
    for access in theirs:
        by_variable.setdefault(access.variable, []).append(access)
    mine = [access for access in mine if access.variable in by_variable]
    last: dict[int, _Access] = {}
    for second in mine:
        first = last.get(second.variable)
        last[second.variable] = second
        if first is not None and any(
            first.position < between.position < second.position
            and f"{first.kind}{between.kind}{second.kind}" in _UNSERIALIZABLE
            for between in by_variable[second.variable]
        ):
            yield 1, first, second
    for first, second in pairwise(mine):
        if first.variable != second.variable and all(
            any(
                first.position < between.position < second.position and "W" in (between.kind, access.kind)
                for between in by_variable[access.variable]
            )
            for access in (first, second)
        ):
            yield 2, first, second


def _named(first: _Access, second: _Access, entities: Entities, table: SiteTable) -> Interruption:
    site = table[first.site]
    names = dict.fromkeys(_name(entities, access.variable) for access in (first, second))
    return Interruption(" and ".join(names), site.file, site.function)


def _name(entities: Entities, variable: int) -> str:
    named = entities.variables[variable]
    return f"{named.owner.rpartition(':')[2]}.{named.name}"
