"""Pattern occurrences that the facts about objects rule out, and why.

An order of steps is ruled out in two cases:

* A step comes before a step of the other thread, but thread starts and joins always impose the opposite order.
* In all executions so far, a thread held a lock from one of its steps to the next, and the step of the other thread in
  between needs the same lock.

An occurrence is ruled out if all possible orders of its steps are ruled out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from math import prod
from typing import NamedTuple

from raddle.criteria.patterns import PATTERNS, Order, Pattern
from raddle.pruning_facts import Access, OwnerFacts, PruningFacts
from raddle.static_model import variable_named
from raddle.variable_scope import VariableScope

Place = int  # index of an access in the facts; the index after the last represents all unobserved accesses
Run = tuple[int, int]  # two consecutive steps of one thread

ALL = -1  # mask of all accesses


class _Shape(NamedTuple):
    """The conditions to check for one order of the steps of a pattern."""

    crossings: tuple[tuple[int, int], ...]  # pairs of steps of different threads, the earlier step first
    # Each entry: a run, a step of the other thread that comes within it, and the run that contains this step, if any.
    runs: tuple[tuple[Run, int, Run | None], ...]


class _Guard(NamedTuple):
    kept: list[int]  # for each access, a mask of the accesses that form a run with it under the lock
    always: int  # mask of the accesses made only while the lock is held
    lock: str  # name of the lock

    def holds(self, step: int, run: Run | None, places: Sequence[Place]) -> bool:
        """Return whether the lock is held at a step; `run` is the run that contains the step, if there is one."""
        if self.always >> places[step] & 1:
            return True
        return run is not None and bool(self.kept[places[run[0]]] >> places[run[1]] & 1)


class RuledOut:
    """The occurrences of patterns that the observed facts make infeasible for the objects of one owner.

    >>> from raddle.pruning_facts import LockDiscipline
    >>> written, read = ("x", 70001), ("x", 70002)  # the writing thread starts the reading one
    >>> facts = OwnerFacts.make([written, read], (0b10,), LockDiscipline(seen=0b11))
    >>> RuledOut(facts).why(PATTERNS[1], [read, written])
    'thread starts and joins order step 2 before step 1'
    >>> RuledOut(facts).why(PATTERNS[2], [written, read])
    """

    def __init__(self, facts: OwnerFacts) -> None:
        size = len(facts.accesses) + 1
        self._places = {access: place for place, access in enumerate(facts.accesses)}
        self._unseen = size - 1
        self._after = _padded(facts.before, size)
        self._before = _transposed(self._after)
        self._never = [self._never_before(place, range(size)) for place in range(size)]
        self._never_after = _transposed(self._never)
        runs = _padded(facts.discipline.runs, size)
        self._guards = []
        for guard in facts.discipline.guards:
            kept = [run & ~split for run, split in zip(runs, _padded(guard.split, size), strict=True)]
            if any(kept):
                self._guards.append(_Guard(kept, facts.discipline.seen & ~guard.loose, guard.lock or "a lock"))

    def why(self, pattern: Pattern, accesses: Sequence[Access]) -> str | None:
        """Return why the pattern cannot occur with these accesses; None if it can."""
        places = [self._place(access) for access in accesses]
        if self._last_steps(pattern, places) >> places[-1] & 1:
            return None
        return self._reason(_shapes(pattern.number)[0], places)

    def possible(self, pattern: Pattern, choices: Sequence[Sequence[Access]]) -> Iterator[tuple[Access, ...]]:
        """Yield the feasible occurrences of a pattern, given the accesses to choose from for each step."""
        *others, last = choices
        ends = [(access, self._place(access)) for access in last]
        for chosen in product(*others):
            allowed = self._last_steps(pattern, [self._place(access) for access in chosen])
            for access, place in ends:
                if allowed >> place & 1:
                    yield (*chosen, access)

    def count(self, pattern: Pattern, choices: Sequence[Sequence[Access]]) -> int:
        """Return the number of feasible occurrences that `possible` would yield.

        Accesses with the same facts are checked only once, and all last steps are checked together.
        """
        *groups, last = [self._groups(choice) for choice in choices]
        possible = 0
        for chosen in product(*(group.items() for group in groups)):
            allowed = self._last_steps(pattern, [place for place, _ in chosen])
            ends = sum(size for place, size in last.items() if allowed >> place & 1)
            possible += ends * prod([size for _, size in chosen])
        return possible

    def _place(self, access: Access) -> Place:
        return self._places.get(access, self._unseen)

    def _groups(self, accesses: Iterable[Access]) -> dict[Place, int]:
        """Group interchangeable accesses; map one place from each group to the size of the group."""
        first: dict[Hashable, Place] = {}
        sizes: Counter[Place] = Counter()
        for access in accesses:
            place = self._place(access)
            sizes[first.setdefault(self._signature(place), place)] += 1
        return sizes

    def _signature(self, place: Place) -> Hashable:
        """Return the access's rows and columns in all relations; they are equal for interchangeable accesses."""
        rows = [self._after[place], self._before[place]]
        for guard in self._guards:
            rows += [guard.kept[place], sum(1 << first for first, row in enumerate(guard.kept) if row >> place & 1)]
            rows.append(guard.always >> place & 1)
        return tuple(rows)

    def _last_steps(self, pattern: Pattern, places: Sequence[Place]) -> int:
        """Return a mask of the last steps that at least one order of the pattern allows after the other steps."""
        allowed = 0
        for shape in _shapes(pattern.number):
            allowed |= ~self._forbidden(shape, places, len(pattern.parts) - 1)
        return allowed

    def _forbidden(self, shape: _Shape, places: Sequence[Place], last: int) -> int:
        """Return a mask of the last steps that are impossible in one order of the pattern.

        The last step of a pattern is never the first step of a run.
        """
        never, forbidden = self._never, 0
        for first, second in shape.crossings:
            if second == last:
                forbidden |= never[places[first]]
            elif first == last:
                forbidden |= self._never_after[places[second]]
            elif never[places[first]] >> places[second] & 1:
                return ALL
        for guard in self._guards:
            for (first, second), step, its_run in shape.runs:
                if second == last:
                    if guard.holds(step, its_run, places):
                        forbidden |= guard.kept[places[first]]
                elif guard.kept[places[first]] >> places[second] & 1:
                    if step == last:
                        forbidden |= guard.always
                    elif guard.always >> places[step] & 1:
                        return ALL
                    if its_run is not None:
                        forbidden |= guard.kept[places[its_run[0]]]
        return forbidden

    def _reason(self, shape: _Shape, places: Sequence[Place]) -> str:
        """Return why an order of steps is ruled out."""
        for first, second in shape.crossings:
            one, other = places[first], places[second]
            if self._never[one] >> other & 1:
                if self._after[other] >> one & 1:
                    return f"thread starts and joins order step {second + 1} before step {first + 1}"
                if self._is_first(other):
                    return f"step {second + 1} happens only before other threads access the object"
                return f"step {first + 1} happens only after all accesses by other threads"
        run, between, lock = next(
            (run, step, guard.lock)
            for run, step, its_run in shape.runs
            for guard in self._guards
            if guard.kept[places[run[0]]] >> places[run[1]] & 1 and guard.holds(step, its_run, places)
        )
        return f"{lock} is held from step {run[0] + 1} to step {run[1] + 1}, and step {between + 1} also needs it"

    def _never_before(self, place: Place, others: range) -> int:
        """Return a mask of the accesses by other threads that the access at `place` never precedes."""
        last = self._before[place] and not self._after[place]
        return sum(
            1 << other
            for other in others
            if not self._after[place] >> other & 1
            and (last or self._after[other] >> place & 1 or self._is_first(other))
        )

    def _is_first(self, place: Place) -> bool:
        """Return whether accesses by other threads can only come after the access at `place`."""
        return bool(self._after[place]) and not self._before[place]


class RuledOutByOwners:
    """The `RuledOut` for the variables of each set of owners, derived from the facts when it is first needed.

    A set has two owners if the requirement is about an object's own and inherited variables. The facts of all classes
    whose objects were seen with variables of both owners then apply.
    """

    def __init__(self, facts: PruningFacts, scope: VariableScope | None = None) -> None:
        self.facts = facts
        self._scope = scope
        self._found: dict[frozenset[str], RuledOut | None] = {}
        self._classes: dict[str, set[str]] = {}  # maps an owner to the classes of objects with its variables
        for cls, known in facts.owners.items():
            for name in {name for name, _ in known.accesses}:
                self._classes.setdefault(variable_named(name, cls)[0], set()).add(cls)

    def of(self, owners: frozenset[str]) -> RuledOut | None:
        """Return what is ruled out for variables of these owners, named relative to `reference_of(owners)`.

        Return None if nothing is known about them.
        """
        if owners not in self._found:
            # The facts relate accesses to one object, so they say nothing about patterns across objects.
            across = self._scope is not None and len(owners) > 1 and self._scope.across_objects(*owners)
            classes = () if across else sorted(set.intersection(*(self._classes.get(owner, set()) for owner in owners)))
            reference = reference_of(owners)
            parts = [self.facts.owners[cls].about(owners, cls=cls, reference=reference) for cls in classes]
            self._found[owners] = RuledOut(sum(parts[1:], start=parts[0])) if parts else None
        return self._found[owners]


def reference_of(owners: frozenset[str]) -> str:
    """Return the owner relative to which `RuledOutByOwners` names variables.

    >>> reference_of(frozenset({"m.py:C", "m.py:B"}))
    'm.py:B'
    """
    return min(owners)


@cache
def _shapes(number: int) -> tuple[_Shape, ...]:
    pattern = PATTERNS[number]
    return tuple(_shape(pattern, order) for order in pattern.orders)


def _shape(pattern: Pattern, order: Order) -> _Shape:
    threads = [part.thread for part in pattern.parts]
    runs = {thread: run for thread in "AB" if len(run := [i for i in order if threads[i] == thread]) == 2}
    crossings = tuple(
        (first, second)
        for position, first in enumerate(order)
        for second in order[position + 1 :]
        if threads[first] != threads[second]
    )
    between = tuple(
        ((run[0], run[1]), step, _pair(runs.get(threads[step])))
        for thread, run in runs.items()
        for step in order[order.index(run[0]) + 1 : order.index(run[1])]
        if threads[step] != thread
    )
    return _Shape(crossings, between)


def _pair(run: list[int] | None) -> Run | None:
    return None if run is None else (run[0], run[1])


def _padded(rows: Sequence[int], size: int) -> list[int]:
    return [*rows, *[0] * (size - len(rows))]


def _transposed(rows: Sequence[int]) -> list[int]:
    return [sum(1 << first for first, row in enumerate(rows) if row >> place & 1) for place in range(len(rows))]
