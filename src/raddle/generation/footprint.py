"""Footprints: what a call reads and writes when it runs alone, and which locks protect it.

Two calls can have an outcome that no order of whole calls has only if the one can come between two accesses of the
other and conflicts with both, or if both acquire several locks. Tests of other pairs are a waste of time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from raddle.entities import AbstractObject
from raddle.generation.binding import is_test_site
from raddle.generation.strategy import Observed
from raddle.operation import ACCESSES, ACQUIRE, GIVES, LOCKING, READ, TAKES

Variable = tuple[str, str, str]  # owner, place of creation and name, as in `AbstractVariable`
Lock = AbstractObject
Holding = tuple[Lock, int]  # a lock, and how many times the call had acquired it before

MAX_ACCESSES = 300  # different accesses of a long call that are kept


@dataclass(frozen=True, slots=True)
class Access:
    """One access, with the locks held."""

    variable: Variable
    writes: bool
    held: frozenset[Holding] = frozenset()

    def conflicts_with(self, other: Access) -> bool:
        """Return whether the order of the two accesses matters."""
        return self.variable == other.variable and (self.writes or other.writes)


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one call does when it runs alone.

    >>> x, lock = ("m.py:C", "", "x"), (AbstractObject("RLock", "m.py:2"), 0)
    >>> unlocked = Footprint((Access(x, writes=False), Access(x, writes=True)))
    >>> locked = Footprint(tuple(Access(x, writes=write, held=frozenset({lock})) for write in (False, True)))
    >>> unlocked.can_be_interrupted_by(locked), locked.can_be_interrupted_by(unlocked)
    (True, True)
    >>> locked.can_be_interrupted_by(locked)
    False
    """

    accesses: tuple[Access, ...]
    nested_locks: int = 0  # number of times a lock is acquired while another one is held
    waits: bool = False  # whether the call uses primitives other than locks, such as queues or conditions
    sites: frozenset[int] = frozenset()  # the sites of the code under test; calls with the same sites are of one kind

    def can_be_interrupted_by(self, other: Footprint) -> bool:
        """Return whether the other call could come between two accesses of this one, in conflict with both."""
        mine = [access for access in self.accesses if any(map(access.conflicts_with, other.accesses))]
        theirs = dict.fromkeys(access for access in other.accesses if any(map(access.conflicts_with, mine)))
        held = {frozenset(lock for lock, _ in access.held) for access in theirs}
        return any(
            {lock for lock, _ in first.held & second.held}.isdisjoint(locks)
            for number, second in enumerate(mine)
            for first in mine[:number]
            for locks in held
        )

    def interacts_with(self, other: Footprint) -> bool:
        """Return whether running the calls concurrently can matter."""
        if (self.nested_locks and other.nested_locks) or self.waits or other.waits:
            return True
        return self.can_be_interrupted_by(other) or other.can_be_interrupted_by(self)

    def conflicts_with(self, other: Footprint) -> bool:
        """Return whether the order of the two calls can matter."""
        return any(mine.conflicts_with(theirs) for mine in self.accesses for theirs in other.accesses)


def footprint(observed: Observed) -> Footprint:
    """Return the footprint of calls that ran alone."""
    steps, entities = observed
    held: dict[Lock, Holding] = {}
    acquired: Counter[Lock] = Counter()
    accesses: Counter[Access] = Counter()
    nested, waits = 0, False
    for _, kind, target, _ in steps:
        if kind in ACCESSES:
            if len(accesses) < MAX_ACCESSES:
                named = entities.variables[target]
                variable = named.owner, named.created, named.name
                accesses[Access(variable, writes=kind != READ, held=frozenset(held.values()))] += 1
        elif kind in LOCKING:
            lock = entities.resources[target]
            if kind == ACQUIRE:
                nested += bool(held)
                held[lock] = lock, acquired[lock]
                acquired[lock] += 1
            else:
                held.pop(lock, None)
        elif kind in GIVES or kind in TAKES:
            waits = True
    sites = frozenset(site for _, _, _, site in steps if not is_test_site(site))
    # Another call can come between two equal accesses, but more than two of them make no difference.
    kept = tuple(access for access, times in accesses.items() for _ in range(min(times, 2)))
    return Footprint(kept, nested, waits, sites)
