"""Footprints: what a call reads and writes when it runs alone, and in which critical sections.

Two calls can have an outcome that no order of whole calls has only if the one can run between two sections of the
other and conflicts with both, or if both acquire several locks. Tests of other pairs are a waste of time.
"""

from __future__ import annotations

from dataclasses import dataclass

from raddle.generation.binding import is_test_site
from raddle.generation.strategy import Observed
from raddle.operation import ACCESSES, ACQUIRE, GIVES, READ, RELEASE, TAKES

Variable = tuple[str, str, str]  # owner, place of creation and name, as in `AbstractVariable`


@dataclass(frozen=True, slots=True)
class Section:
    """Accesses that no other thread can interrupt: those made while one lock is held, or a single access."""

    reads: frozenset[Variable]
    writes: frozenset[Variable]

    def conflicts_with(self, other: Footprint) -> bool:
        """Return whether another call accesses the same variables, so that their order matters."""
        return not (self.writes.isdisjoint(other.reads | other.writes) and self.reads.isdisjoint(other.writes))


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one call does when it runs alone.

    >>> x, y = ("m.py:C", "", "x"), ("m.py:C", "", "y")
    >>> increment = Footprint((Section(frozenset({x}), frozenset()), Section(frozenset(), frozenset({x}))))
    >>> clear = Footprint((Section(frozenset(), frozenset({x, y})),))
    >>> increment.can_be_interrupted_by(clear), clear.can_be_interrupted_by(increment)
    (True, False)
    """

    sections: tuple[Section, ...]
    locks: int = 0  # number of times a lock is acquired while another one is held
    waits: bool = False  # whether the call uses primitives other than locks, such as queues or conditions
    sites: frozenset[int] = frozenset()  # the sites of the code under test; calls with the same sites are of one kind

    @property
    def reads(self) -> frozenset[Variable]:
        """All variables that the call reads."""
        return frozenset().union(*(section.reads for section in self.sections))

    @property
    def writes(self) -> frozenset[Variable]:
        """All variables that the call writes."""
        return frozenset().union(*(section.writes for section in self.sections))

    def can_be_interrupted_by(self, other: Footprint) -> bool:
        """Return whether the other call could run between two sections of this one, in conflict with both."""
        return sum(section.conflicts_with(other) for section in self.sections) > 1

    def interacts_with(self, other: Footprint) -> bool:
        """Return whether running the calls concurrently can matter."""
        if (self.locks and other.locks) or self.waits or other.waits:
            return True
        return self.can_be_interrupted_by(other) or other.can_be_interrupted_by(self)


def footprint(observed: Observed) -> Footprint:
    """Return the footprint of calls that ran alone."""
    steps, entities = observed
    held: list[int] = []
    sections: list[Section] = []
    reads: set[Variable] = set()
    writes: set[Variable] = set()
    nested, waits, sites = 0, False, set[int]()

    def close() -> None:
        if reads or writes:
            sections.append(Section(frozenset(reads), frozenset(writes)))
            reads.clear()
            writes.clear()

    for _, kind, target, site in steps:
        if not is_test_site(site):
            sites.add(site)
        if kind in ACCESSES:
            variable = entities.variables[target]
            (reads if kind == READ else writes).add((variable.owner, variable.created, variable.name))
            if not held:
                close()
        elif kind == ACQUIRE:
            if not held:
                close()
            nested += bool(held)
            held.append(target)
        elif kind == RELEASE:
            if target in held:
                held.remove(target)
            if not held:
                close()
        elif kind in GIVES or kind in TAKES:
            waits = True
    close()
    return Footprint(tuple(sections), nested, waits, frozenset(sites))
