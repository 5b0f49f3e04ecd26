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
from raddle.operation import ENTER, LEAVE, READ, WRITE
from raddle.step import Step

FIRST, LAST = 2, 1  # of the accesses that differ only in the round of a loop, the first two and the last are considered
MAX_CANDIDATES = 5_000  # maximum number of interleavings that are considered for two calls
MAX_TRIES = 3  # maximum number of interleavings that are simulated for one requirement

_EntityKey = tuple[object, ...]


class AccessContext(NamedTuple):
    """An access as requirements identify it: by the call path from the outermost method, the site and the kind."""

    path: tuple[int, ...]  # the entry sites of the active functions, outermost first
    site: int
    kind: str


class Requirement(NamedTuple):
    """An interleaving that a test should cover: a pattern and the access for each of its steps."""

    pattern: int
    accesses: tuple[AccessContext, ...]


class Access(NamedTuple):
    """One access of a recorded call."""

    position: int  # index among the events of the call
    context: AccessContext
    variable: int
    occurrence: int  # number of earlier accesses of the call with the same kind and site


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


class CallPair:
    """Two recorded calls, with common numbers for the variables and locks that both use.

    An object is the same in both calls if it has the same path from the shared object before the call, or else after
    the call, or if it exists outside the shared object, such as a global.
    """

    def __init__(self, outer: RecordedCall, inner: RecordedCall) -> None:
        self._numbers: dict[_EntityKey, int] = {}
        self._programs = tuple(self._program(thread, call) for thread, call in enumerate((outer, inner)))
        self.accesses = tuple(self._accesses(thread, call) for thread, call in enumerate((outer, inner)))
        self._rearrangement = Rearrangement([step for program in self._programs for step in program])

    def _number(self, call: RecordedCall, event: Event) -> int:
        """Return the number of the variable or lock of an event."""
        owner = event.owner
        if owner is None:
            return 0
        path = call.before.of(owner)
        if path is None:
            path = call.after.of(owner)
        key: _EntityKey = (event.name, path) if path is not None else (event.name, "", id(owner))
        return self._numbers.setdefault(key, len(self._numbers) + 1)

    def _program(self, thread: int, call: RecordedCall) -> tuple[Step, ...]:
        return tuple((thread, event.kind, self._number(call, event), event.site) for event in call.events)

    def _accesses(self, thread: int, call: RecordedCall) -> tuple[Access, ...]:
        path: list[int] = []
        found: list[Access] = []
        counts: dict[tuple[str, int], int] = {}
        for position, (event, step) in enumerate(zip(call.events, self._programs[thread], strict=True)):
            if event.kind == ENTER:
                path.append(event.site)
            elif event.kind == LEAVE and path:
                path.pop()
            elif event.is_access:
                occurrence = counts.get((event.kind, event.site), 0)
                counts[event.kind, event.site] = occurrence + 1
                context = AccessContext(tuple(path), event.site, event.kind)
                found.append(Access(position, context, step[2], occurrence))
        return tuple(found)

    def predict(self, criterion: InterleavingCriterion) -> Predictions:
        """Return the requirements of a criterion that the two calls match, with thread 0 or thread 1 as thread A."""
        found, tries = Predictions(), dict[Requirement, int]()
        shared = {access.variable for access in self.accesses[0]} & {access.variable for access in self.accesses[1]}
        considered = 0
        for first in (0, 1):
            groups = {
                name: _by_variable(self.accesses[thread], shared)
                for name, thread in (("A", first), ("B", 1 - first))
            }
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


_Groups = dict[tuple[str, int], list[Access]]  # maps a kind and a variable to accesses


def _by_variable(accesses: Sequence[Access], shared: set[int]) -> _Groups:
    """Return the accesses to shared variables; of those that differ only in the round of a loop, only some."""
    rounds: dict[tuple[AccessContext, int], list[Access]] = {}
    for access in accesses:
        if access.variable in shared:
            rounds.setdefault((access.context, access.variable), []).append(access)
    groups: _Groups = {}
    for (context, variable), repeated in rounds.items():
        chosen = repeated if len(repeated) <= FIRST + LAST else repeated[:FIRST] + repeated[-LAST:]
        groups.setdefault((context.kind, variable), []).extend(chosen)
    return groups


def _assign(parts: Sequence[Part], groups: dict[str, _Groups]) -> Iterator[tuple[Access, ...]]:
    """Yield the accesses that match the parts of a pattern, in the order of the parts."""

    def extend(chosen: tuple[Access, ...]) -> Iterator[tuple[Access, ...]]:
        if len(chosen) == len(parts):
            yield chosen
            return
        part = parts[len(chosen)]
        bound = {other.variable: access.variable for other, access in zip(parts, chosen, strict=False)}
        after = max(
            (access.position for other, access in zip(parts, chosen, strict=False) if other.thread == part.thread),
            default=-1,
        )
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
