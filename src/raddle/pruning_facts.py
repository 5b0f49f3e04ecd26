"""Facts: what executions showed about the sites, by which some requirements can be seen to be impossible.

They are about accesses (a variable and a site) to the objects of one owner that several threads touched:

* *before*: can one access come before another one of a different thread? It can if it did, or if neither the start
  nor the end of a thread put the other one first. Orders that locks and events bring about may be others next time.
* *runs*: which accesses one thread did after which, to the same object.
* *guards*: what locks do for these. A guard is a lock in its part for an object: of two accounts with a lock each,
  both locks are the same guard. It is known by what it fails to do: accesses that happened without it, and
  runs that were not within one critical section of it.

Facts of other executions can be added: what both leave standing. An execution that covers a requirement takes away
whatever made it look impossible, for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

Access = tuple[str, int]  # the variable's name and the site
Rows = tuple[int, ...]  # a relation: for each access a mask of others, by their places; none after the last

MAX_GUARDS = 16  # of one owner; those that do least are left out, and then less is impossible


@dataclass(frozen=True, slots=True)
class Guard:
    """A lock, by what it fails to do."""

    loose: int  # a mask of accesses that happened without it
    split: Rows  # runs that were not within one critical section: by the first access, the second ones
    lock: str = field(default="", compare=False)  # for people: one of those that play this part

    def _and(self, other: Guard) -> Guard:
        """Both in one part."""
        lock = min(filter(None, (self.lock, other.lock)), default="")
        return Guard(self.loose | other.loose, _union(self.split, other.split), lock)

    def _better(self, other: Guard) -> bool:
        """Does it do all that the other one does?"""
        return not self.loose & ~other.loose and not any(one & ~two for one, two in _both(self.split, other.split))


@dataclass(frozen=True, slots=True)
class LockDiscipline:
    """What threads did to objects, and under which guards.

    >>> guarded = LockDiscipline(seen=0b11, runs=(0b10,), guards=(Guard(0, (), "a Lock"),))
    >>> guarded + LockDiscipline(seen=0b01, runs=())  # the first access happened without any lock, too
    LockDiscipline(seen=3, runs=(2,), guards=(Guard(loose=1, split=(), lock='a Lock'),))
    """

    seen: int = 0
    runs: Rows = ()
    guards: tuple[Guard, ...] = ()

    def __add__(self, other: LockDiscipline) -> LockDiscipline:
        """Both were seen. Any guard of the one may be in the same part as any guard of the other, or as none."""
        runs = _union(self.runs, other.runs)
        nothing, nothing_else = Guard(self.seen, self.runs), Guard(other.seen, other.runs)
        joined = [mine._and(theirs) for mine in (*self.guards, nothing) for theirs in (*other.guards, nothing_else)]
        return LockDiscipline.make(self.seen | other.seen, runs, joined)

    @classmethod
    def make(cls, seen: int, runs: Rows, guards: Iterable[Guard]) -> LockDiscipline:
        """Without guards that do nothing, or nothing more than another one."""
        chosen = [Guard(seen, runs)]
        for guard in sorted(guards, key=lambda guard: (_failures(guard), guard.loose, guard.split, guard.lock)):
            if not any(other._better(guard) for other in chosen):
                chosen.append(guard)
        return cls(seen, runs, tuple(chosen[1 : MAX_GUARDS + 1]))


def _failures(guard: Guard) -> int:
    return guard.loose.bit_count() + sum(row.bit_count() for row in guard.split)


@dataclass(frozen=True, slots=True)
class OwnerFacts:
    """Facts about the objects of one class, or about one module's or function's variables."""

    accesses: tuple[Access, ...]  # in order; their places are what the masks are made from
    before: Rows  # by the one that can come first
    discipline: LockDiscipline

    @classmethod
    def make(cls, accesses: Iterable[Access], before: Rows, discipline: LockDiscipline) -> OwnerFacts:
        """From accesses in any order."""
        given = tuple(accesses)
        seen = (access for place, access in enumerate(given) if discipline.seen >> place & 1)
        return cls(given, before, discipline)._among(tuple(sorted(seen)))

    def __add__(self, other: OwnerFacts) -> OwnerFacts:
        if self.accesses != other.accesses:
            accesses = tuple(sorted({*self.accesses, *other.accesses}))
            self, other = self._among(accesses), other._among(accesses)
        return OwnerFacts(self.accesses, _union(self.before, other.before), self.discipline + other.discipline)

    def _among(self, accesses: tuple[Access, ...]) -> OwnerFacts:
        """The same, with the places among these; about accesses that are not among them nothing is known."""
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
        """Masks as hexadecimal texts."""
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
        """What `as_json` gave."""
        guards = tuple(Guard(int(g["loose"], 16), _masks(g["split"]), g["lock"]) for g in data["guards"])
        discipline = LockDiscipline(int(data["seen"], 16), _masks(data["runs"]), guards)
        return cls(tuple((name, site) for name, site in data["accesses"]), _masks(data["before"]), discipline)


@dataclass(frozen=True, slots=True)
class PruningFacts:
    """Nothing is known until something was seen.

    >>> both = LockDiscipline(seen=0b11)
    >>> seen = PruningFacts({"m.py:C": OwnerFacts.make([("x", 70002), ("x", 70001)], (0b10,), both)})
    >>> seen.owners["m.py:C"].before  # the one at 70002 can come before the one at 70001
    (0, 1)
    >>> PruningFacts.from_json(seen.as_json()) == seen + PruningFacts()
    True
    """

    owners: Mapping[str, OwnerFacts] = field(default_factory=dict)

    def __add__(self, other: PruningFacts) -> PruningFacts:
        owners = dict(self.owners)
        for owner, facts in other.owners.items():
            owners[owner] = owners[owner] + facts if owner in owners else facts
        return PruningFacts(owners)

    def as_json(self) -> dict[str, Any]:
        """For the data file."""
        return {"owners": {owner: self.owners[owner].as_json() for owner in sorted(self.owners)}}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> PruningFacts:
        """What `as_json` gave."""
        return cls({owner: OwnerFacts.from_json(facts) for owner, facts in data.get("owners", {}).items()})


def _both(one: Rows, other: Rows) -> Iterable[tuple[int, int]]:
    return zip_longest(one, other, fillvalue=0)


def _union(one: Rows, other: Rows) -> Rows:
    return one if one == other else tuple(left | right for left, right in _both(one, other))


def trimmed(rows: Iterable[int]) -> Rows:
    """A relation in the only form that it is compared in.

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
