"""Predictive reshuffling: the interleavings of two calls that match a criterion and that locks allow.

The two calls were recorded one after the other, each in the state of its own sequence. Their events are reshuffled
into the patterns of the criterion. An interleaving is pruned only if synchronization makes it impossible, for example
because one thread holds a lock from its first to its last access and the other needs the same lock. That one thread
ran before the other while the traces were recorded does not matter, and neither does the order in which they held a
lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from raddle.criteria.patterns import Part, Pattern
from raddle.generation.autocontest.recorder import Event
from raddle.generation.autocontest.scenarios import InterleavingCriterion
from raddle.generation.autocontest.sequence_runner import RecordedCall
from raddle.guide.rearrangement import ImpossibleError, Rearrangement
from raddle.operation import ACCESSES, ACQUIRE, ENTER, LEAVE, LOCKING, READ, WRITE
from raddle.step import Step

FIRST, LAST = 2, 1  # of the accesses that differ only in the round of a loop, the first two and the last are considered
MAX_CANDIDATES = 20_000  # maximum number of interleavings that are considered for two calls
MAX_TRIES = 3  # maximum number of interleavings that are simulated for one requirement

Entity = tuple[object, ...]  # the name of a variable or a lock in a recorded call
Held = tuple[Entity, int]  # a lock, and the position at which the thread acquired it
Shape = frozenset[tuple[tuple[str, int], int]]


class AccessContext(NamedTuple):
    """An access as requirements identify it: by the call path from the outermost method, the site and the kind."""

    path: tuple[int, ...]  # the entry sites of the active functions, outermost first
    site: int
    kind: str


class Requirement(NamedTuple):
    """An interleaving that a test should cover: a pattern and the access for each of its steps."""

    pattern: int
    accesses: tuple[AccessContext, ...]

    @property
    def instructions(self) -> tuple[object, ...]:
        """The pattern and the accesses without their call paths.

        >>> one, other = (Requirement(4, (AccessContext((path,), 7, "read"),)) for path in (1, 2))
        >>> one.instructions == other.instructions
        True
        """
        return (self.pattern, *((access.site, access.kind) for access in self.accesses))


class Access(NamedTuple):
    """One access of a recorded call."""

    position: int  # index among the events of the call
    context: AccessContext
    variable: Entity
    occurrence: int  # number of earlier accesses of the call with the same kind and site
    locks: frozenset[Held]  # the locks that the thread holds, each with the number of its critical section


Groups = dict[tuple[str, Entity], list[Access]]  # maps a kind and a variable to accesses


class PlannedAccess(NamedTuple):
    """One step of an interleaving: an access of thread 0 or thread 1."""

    thread: int
    access: Access


@dataclass(frozen=True, slots=True)
class Interleaving:
    """An order of accesses of two calls that locks allow."""

    requirement: Requirement
    order: tuple[PlannedAccess, ...]


@dataclass(slots=True)
class Predictions:
    """The requirements that two calls match."""

    feasible: dict[Requirement, Interleaving] = field(default_factory=dict)
    pruned: set[Requirement] = field(default_factory=set)  # those that synchronization makes impossible
    cut: bool = False  # whether the limit on candidates ended the enumeration


class CallAccesses:
    """The accesses of a recorded call, with names of variables and locks that are the same in other recordings.

    An object is named by its path from the shared object before the call, or else after the call. Any other object is
    the same in two recordings only if it exists outside the shared object, such as a global.
    """

    def __init__(self, call: RecordedCall) -> None:
        self._call = call
        self.steps = tuple((event.kind, self._entity(event), event.site) for event in call.events)
        self.accesses = tuple(self._accesses())
        self.groups = _by_variable(self.accesses)
        self.variables = frozenset(variable for _, variable in self.groups)
        self.shape = _shape(call)

    def _entity(self, event: Event) -> Entity:
        """Return the name of the variable or lock of an event."""
        if event.owner is None:
            return ()
        path = self._call.before.of(event.owner)
        if path is None:
            path = self._call.after.of(event.owner)
        return (event.name, path) if path is not None else (event.name, "", id(event.owner))

    def _accesses(self) -> Iterator[Access]:
        path: list[int] = []
        counts: dict[tuple[str, int], int] = {}
        held: dict[Entity, int] = {}
        locks: frozenset[Held] = frozenset()
        for position, (kind, entity, site) in enumerate(self.steps):
            if kind == ENTER:
                path.append(site)
            elif kind == LEAVE and path:
                path.pop()
            elif kind in LOCKING:
                if kind == ACQUIRE:
                    held[entity] = position
                else:
                    held.pop(entity, None)
                locks = frozenset(held.items())
            elif kind in ACCESSES:
                occurrence = counts.get((kind, site), 0)
                counts[kind, site] = occurrence + 1
                yield Access(position, AccessContext(tuple(path), site, kind), entity, occurrence, locks)


def _shape(call: RecordedCall) -> Shape:
    """Return the events of a call, without their order. Of repeated events, only the first three count."""
    counts: dict[tuple[str, int], int] = {}
    for event in call.events:
        counts[event.kind, event.site] = min(counts.get((event.kind, event.site), 0) + 1, FIRST + LAST)
    return frozenset(counts.items())


class CallPair:
    """Two recorded calls, which two threads make at the same time."""

    def __init__(self, one: CallAccesses, other: CallAccesses) -> None:
        self._calls = one, other
        self._rearrangement: Rearrangement | None = None

    @property
    def sites(self) -> frozenset[int]:
        """The sites of all accesses of both calls."""
        return frozenset(access.context.site for call in self._calls for access in call.accesses)

    def predict(self, criterion: InterleavingCriterion) -> Predictions:
        """Return the requirements of a criterion that the two calls match, with thread 0 or thread 1 as thread A."""
        found, tries = Predictions(), dict[Requirement, int]()
        shared = self._calls[0].variables & self._calls[1].variables
        if not any((WRITE, variable) in call.groups for variable in shared for call in self._calls):
            return found
        shared_groups = [
            {key: accesses for key, accesses in call.groups.items() if key[1] in shared} for call in self._calls
        ]
        considered = 0
        for first in (0, 1):
            groups = {"A": shared_groups[first], "B": shared_groups[1 - first]}
            for pattern in criterion.patterns:
                for order in _assign(pattern.parts, groups):
                    considered += 1
                    if considered > MAX_CANDIDATES:
                        found.cut = True
                        return found
                    self._consider(pattern, order, first, found, tries)
        return found

    def _consider(
        self,
        pattern: Pattern,
        order: Sequence[Access],
        first: int,
        found: Predictions,
        tries: dict[Requirement, int],
    ) -> None:
        """Add an interleaving to the predictions, unless its requirement has been decided."""
        requirement = Requirement(pattern.number, tuple([access.context for access in order]))
        if requirement in found.feasible or tries.get(requirement, 0) >= MAX_TRIES:
            return
        tries[requirement] = tries.get(requirement, 0) + 1
        planned = tuple(
            PlannedAccess(first if part.thread == "A" else 1 - first, access)
            for part, access in zip(pattern.parts, order, strict=True)
        )
        if self.is_feasible(planned):
            found.feasible[requirement] = Interleaving(requirement, planned)
            found.pruned.discard(requirement)
        else:
            found.pruned.add(requirement)

    def is_feasible(self, order: Sequence[PlannedAccess]) -> bool:
        """Return whether synchronization allows the accesses in this order."""
        if _is_locked_out(order):
            return False
        if self._rearrangement is None:
            self._rearrangement = Rearrangement(self._steps())
        rearrangement = self._rearrangement
        rearrangement.begin()
        try:
            for index, (thread, access) in enumerate(order):
                if rearrangement.done(thread) > access.position:
                    return False  # the thread had to continue past this access to release a lock
                rearrangement.run(thread, access.position + 1)
                if any(rearrangement.done(other) > later.position for other, later in order[index + 1 :]):
                    return False
        except ImpossibleError:
            return False
        return True

    def _steps(self) -> list[Step]:
        """Return the steps of both calls, with common numbers for their variables and locks."""
        numbers: dict[Entity, int] = {}
        return [
            (thread, kind, numbers.setdefault(entity, len(numbers)), site)
            for thread, call in enumerate(self._calls)
            for kind, entity, site in call.steps
        ]


def _is_locked_out(order: Sequence[PlannedAccess]) -> bool:
    """Return whether a thread needs a lock that the other one holds from its previous to its next access."""
    for index, (thread, access) in enumerate(order):
        following = next((i for i in range(index + 1, len(order)) if order[i].thread == thread), None)
        if following is None:
            continue
        kept = {lock for lock, _ in access.locks & order[following].access.locks}
        if kept and any(lock in kept for _, other in order[index + 1 : following] for lock, _ in other.locks):
            return True
    return False


def _by_variable(accesses: Sequence[Access]) -> Groups:
    """Return the accesses to each variable; of those that differ only in the round of a loop, only some."""
    rounds: dict[tuple[AccessContext, Entity], list[Access]] = {}
    for access in accesses:
        rounds.setdefault((access.context, access.variable), []).append(access)
    groups: Groups = {}
    for (context, variable), repeated in rounds.items():
        chosen = repeated if len(repeated) <= FIRST + LAST else repeated[:FIRST] + repeated[-LAST:]
        groups.setdefault((context.kind, variable), []).extend(chosen)
    return groups


def _assign(parts: Sequence[Part], groups: dict[str, Groups]) -> Iterator[tuple[Access, ...]]:
    """Yield the accesses that match the parts of a pattern, in the order of the parts."""

    def extend(chosen: tuple[Access, ...]) -> Iterator[tuple[Access, ...]]:
        if len(chosen) == len(parts):
            yield chosen
            return
        part = parts[len(chosen)]
        bound: dict[str, Entity] = {}
        after = -1
        for other, access in zip(parts, chosen, strict=False):
            bound[other.variable] = access.variable
            if other.thread == part.thread:
                after = access.position
        for (kind, variable), accesses in groups[part.thread].items():
            if kind != part.kind or bound.get(part.variable, variable) != variable:
                continue
            if part.variable not in bound and variable in bound.values():
                continue
            for access in accesses:
                if access.position > after:
                    yield from extend((*chosen, access))

    assert {part.kind for part in parts} <= {READ, WRITE}
    return extend(())
