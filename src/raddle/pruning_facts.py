"""Pruning facts: observations from executions that show some requirements to be infeasible.

The facts are about accesses (a variable and a site) to shared objects of one class, or to the variables of one module
or function. An inherited variable is named relative to the class (see `raddle.static_model.relative_name`). The facts:

* *before*: which accesses can come before which accesses of other threads. An order is possible if it was observed in
  some execution, or if no start or join forces the opposite order. Locks and events do not rule out any order, because
  the order that they impose can differ in the next execution.
* *runs*: which pairs of accesses one thread performed on the same object, one after the other.
* *guards*: which locks protect these accesses. A guard is the role of a lock for an object: if every account has its
  own lock, all these locks act as the same guard. A guard is described by its failures: the accesses that happened
  without the lock, and the runs that were not within one critical section of the lock.

Adding the facts of two executions keeps only the facts that hold in both. Once an execution covers a requirement, the
facts that made the requirement look infeasible are dropped permanently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from raddle.static_model import relative_name, variable_named

Access = tuple[str, int]  # the relative name of the variable and the site
Rows = tuple[int, ...]  # a relation: for each access, a bit mask of related accesses; trailing empty rows are omitted

MAX_GUARDS = 16  # maximum number of guards kept for one owner; with fewer guards, fewer requirements are pruned


@dataclass(frozen=True, slots=True)
class Guard:
    """The role of a lock, described by the accesses that it does not protect."""

    loose: int  # bit mask of the accesses that happened without the lock
    split: Rows  # runs that no single critical section contains: for each first access, a mask of the second accesses
    lock: str = field(default="", compare=False)  # human-readable name of one lock with this role

    def _merged(self, other: Guard) -> Guard:
        """Return a guard that protects only what both guards protect."""
        lock = min(filter(None, (self.lock, other.lock)), default="")
        return Guard(self.loose | other.loose, _union(self.split, other.split), lock)

    def _subsumes(self, other: Guard) -> bool:
        """Return whether this guard protects everything that the other one protects."""
        return not self.loose & ~other.loose and not any(one & ~two for one, two in _pairs(self.split, other.split))


@dataclass(frozen=True, slots=True)
class LockDiscipline:
    """The accesses that threads performed on objects, and the guards that protected them.

    >>> guarded = LockDiscipline(seen=0b11, runs=(0b10,), guards=(Guard(0, (), "a Lock"),))
    >>> guarded + LockDiscipline(seen=0b01, runs=())  # the first access also happened without any lock
    LockDiscipline(seen=3, runs=(2,), guards=(Guard(loose=1, split=(), lock='a Lock'),))
    """

    seen: int = 0  # bit mask of the observed accesses
    runs: Rows = ()  # for each access, a mask of the accesses that the same thread performed later
    guards: tuple[Guard, ...] = ()

    def __add__(self, other: LockDiscipline) -> LockDiscipline:
        """Merge two observations. A guard from one observation may match any guard from the other, or none."""
        runs = _union(self.runs, other.runs)
        my_none, their_none = Guard(self.seen, self.runs), Guard(other.seen, other.runs)  # guards that protect nothing
        joined = [mine._merged(theirs) for mine in (*self.guards, my_none) for theirs in (*other.guards, their_none)]
        return LockDiscipline.make(self.seen | other.seen, runs, joined)

    @classmethod
    def make(cls, seen: int, runs: Rows, guards: Iterable[Guard]) -> LockDiscipline:
        """Create an instance; drop every guard that protects nothing, or only what another guard also protects."""
        chosen = [Guard(seen, runs)]
        for guard in sorted(guards, key=lambda guard: (_failures(guard), guard.loose, guard.split, guard.lock)):
            if not any(other._subsumes(guard) for other in chosen):
                chosen.append(guard)
        return cls(seen, runs, tuple(chosen[1 : MAX_GUARDS + 1]))


def _failures(guard: Guard) -> int:
    return guard.loose.bit_count() + sum(row.bit_count() for row in guard.split)


@dataclass(frozen=True, slots=True)
class OwnerFacts:
    """Facts about the objects of one class, or about the variables of one module or function."""

    accesses: tuple[Access, ...]  # sorted; bit N of a mask refers to the access at index N
    before: Rows  # for each access, a mask of the accesses that it can come before
    discipline: LockDiscipline

    @classmethod
    def make(cls, accesses: Iterable[Access], before: Rows, discipline: LockDiscipline) -> OwnerFacts:
        """Return facts about unsorted accesses; bit N of a mask refers to the access at index N of `accesses`."""
        given = tuple(accesses)
        seen = (access for place, access in enumerate(given) if discipline.seen >> place & 1)
        return cls(given, before, discipline)._reindexed(tuple(sorted(seen)))

    def __add__(self, other: OwnerFacts) -> OwnerFacts:
        if self.accesses != other.accesses:
            accesses = tuple(sorted({*self.accesses, *other.accesses}))
            self, other = self._reindexed(accesses), other._reindexed(accesses)
        return OwnerFacts(self.accesses, _union(self.before, other.before), self.discipline + other.discipline)

    def about(self, owners: Set[str], *, cls: str, reference: str) -> OwnerFacts:
        """Return the part of these facts about objects of `cls` that concerns variables of these owners.

        In the result, the variables are named relative to `reference`.

        >>> facts = OwnerFacts.make([("x", 70001), ("m.py:B.y", 70002)], (), LockDiscipline(seen=0b11))
        >>> facts.about({"m.py:B"}, cls="m.py:C", reference="m.py:B").accesses
        (('y', 70002),)
        """
        variables = [variable_named(name, cls) for name, _ in self.accesses]
        names = [relative_name(variable, reference) for variable in variables]
        accesses = tuple((name, site) for name, (_, site) in zip(names, self.accesses, strict=True))
        kept = (access for access, (owner, _) in zip(accesses, variables, strict=True) if owner in owners)
        return OwnerFacts(accesses, self.before, self.discipline)._reindexed(tuple(sorted(kept)))

    def _reindexed(self, accesses: tuple[Access, ...]) -> OwnerFacts:
        """Return the same facts with masks that refer to `accesses`; facts about other accesses are dropped."""
        if accesses == self.accesses:
            return self
        places = {access: place for place, access in enumerate(self.accesses)}
        moves = [places.get(access, -1) for access in accesses]

        def mask(old: int) -> int:
            return sum(1 << new for new, place in enumerate(moves) if place >= 0 and old >> place & 1)

        def rows(old: Rows) -> Rows:
            return trimmed(mask(old[place]) if 0 <= place < len(old) else 0 for place in moves)

        discipline = self.discipline
        guards = (Guard(mask(guard.loose), rows(guard.split), guard.lock) for guard in discipline.guards)
        runs = rows(discipline.runs)
        return OwnerFacts(accesses, rows(self.before), LockDiscipline.make(mask(discipline.seen), runs, guards))

    def as_json(self) -> dict[str, Any]:
        """Return the facts as JSON data, with masks as hexadecimal strings."""
        guards = [{"loose": f"{g.loose:x}", "split": _texts(g.split), "lock": g.lock} for g in self.discipline.guards]
        return {
            "accesses": [list(access) for access in self.accesses],
            "before": _texts(self.before),
            "seen": f"{self.discipline.seen:x}",
            "runs": _texts(self.discipline.runs),
            "guards": guards,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> OwnerFacts:
        """Return the facts represented by the output of `as_json`."""
        guards = tuple(Guard(int(g["loose"], 16), _masks(g["split"]), g["lock"]) for g in data["guards"])
        discipline = LockDiscipline(int(data["seen"], 16), _masks(data["runs"]), guards)
        return cls(tuple((name, site) for name, site in data["accesses"]), _masks(data["before"]), discipline)


@dataclass(frozen=True, slots=True)
class PruningFacts:
    """The facts about all owners; empty until an execution has been observed.

    >>> both = LockDiscipline(seen=0b11)
    >>> seen = PruningFacts({"m.py:C": OwnerFacts.make([("x", 70002), ("x", 70001)], (0b10,), both)})
    >>> seen.owners["m.py:C"].before  # the access at 70002 can come before the one at 70001
    (0, 1)
    >>> PruningFacts.from_json(seen.as_json()) == seen + PruningFacts()
    True
    """

    owners: Mapping[str, OwnerFacts] = field(default_factory=dict)  # by the class of the object, by module or function

    def __add__(self, other: PruningFacts) -> PruningFacts:
        owners = dict(self.owners)
        for owner, facts in other.owners.items():
            owners[owner] = owners[owner] + facts if owner in owners else facts
        return PruningFacts(owners)

    def as_json(self) -> dict[str, Any]:
        """Return the facts as JSON data, for the data file."""
        return {"owners": {owner: self.owners[owner].as_json() for owner in sorted(self.owners)}}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PruningFacts:
        """Return the facts represented by the output of `as_json`."""
        return cls({owner: OwnerFacts.from_json(facts) for owner, facts in data.get("owners", {}).items()})


def _pairs(one: Rows, other: Rows) -> Iterable[tuple[int, int]]:
    return zip_longest(one, other, fillvalue=0)


def _union(one: Rows, other: Rows) -> Rows:
    return one if one == other else tuple(left | right for left, right in _pairs(one, other))


def trimmed(rows: Iterable[int]) -> Rows:
    """Return a relation in canonical form, without trailing empty rows.

    >>> trimmed([0, 2, 0, 0])
    (0, 2)
    """
    kept = list(rows)
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


def _texts(rows: Rows) -> list[str]:
    return [f"{mask:x}" for mask in rows]


def _masks(texts: Iterable[str]) -> Rows:
    return tuple(int(text, 16) for text in texts)
