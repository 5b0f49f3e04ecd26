"""Prediction: what an execution would have covered, had its threads been interleaved in another way.

Predictive analyses reorder a trace and look for races in it (Said et al., NFM 2011, among many). Here it is asked of
the criteria themselves: the steps are put into another order that locks, starts and joins allow, and whatever a
criterion sees covered in it that no execution has covered yet is worth a try. So any criterion can be aimed at, also
one whose requirements cannot be listed.

Coverage tells threads of a kind and their meetings apart only so far: where very many threads have done nearly
everything to one another, a certain few steps may still never have come together. So an order is also worth a try if
its reads see a set of writes that no order tried before gave them (as in reads-from fuzzing, Wolff et al., ASPLOS
2024), most of all where the second thread meets things that the first has changed already and others that it is only
about to.

The orders are those in which one thread is stopped somewhere, another runs on from where it stands until some place,
and then the first goes on: nearly all known patterns of two threads come about like this. Threads that did the same are
alike, and a loop's rounds, too: for each kind of thread two of them are looked at, and of each place the first two
times and the last. Executions often differ only in the number of rounds: what was looked at in two of them is not
looked at in others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from raddle.criteria.base import Criterion
from raddle.entities import Entities
from raddle.guide.rearrangement import ImpossibleError, Rearrangement
from raddle.labels import child_label, first_label
from raddle.operation import ACCESSES, BLOCKED, CONTENDED, READ, SET, START, WRITE
from raddle.schedulers.plan import Leg, Plan
from raddle.step import Step
from raddle.tally import Key

# A thread can be stopped before these; what gives something back is no scheduling point.
STOPS = CONTENDED | {READ, WRITE, SET}
MAX_STEPS = 5_000  # of an execution that is looked at
MAX_ORDERS = 1_000
_THREADS_PER_KIND = 2  # threads of a kind
_ITERATIONS = 2  # of a loop, and the last one
_MAX_PREDICTIONS = 2  # at one way to go, from different executions

Goals = dict[str, frozenset[Key]]  # by criterion
Touched = dict[int, set[str]]  # by variable: read, written, or both
Way = tuple[Leg, Leg]  # of the one that is stopped first, and of the other


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan, and the requirements that it should cover."""

    plan: Plan
    goals: Goals
    reads_digest: int = 0  # a digest of which reads see which writes
    mixed: tuple[int, int] = (0, 0)  # how much is seen half done; how much the two are in each other's way

    @property
    def worth(self) -> int:
        return sum(map(len, self.goals.values()))


def shape_of(steps: Sequence[Step]) -> int:
    """Equal for executions in which the threads did the same, in whatever order.

    >>> one = [(1, "read", 5, 70001), (2, "write", 5, 70002)]
    >>> shape_of(one) == shape_of(one[::-1])
    True
    """
    programs: dict[int, list[tuple[str, int]]] = {}
    for thread, kind, _, site in steps:
        if kind != BLOCKED:
            programs.setdefault(thread, []).append((kind, site))
    return hash(frozenset(map(tuple, programs.values())))


class Prediction:
    """The orders that one execution could have had, one after the other."""

    def __init__(
        self,
        steps: Sequence[Step],
        entities: Entities,
        criteria: Sequence[Criterion],
        *,
        early: frozenset[int] = frozenset(),
        seed: int = 1,
        share: tuple[int, int] = (0, 1),
        predicted_ways: dict[Way, int] | None = None,  # at which ways to go, so often
    ) -> None:
        self._entities = entities
        self._criteria = criteria
        self._early = early
        self._rearrangement = Rearrangement(steps)
        self._labels = labels_of(steps, entities.letter)
        orders = list(self._orders())
        random.Random(seed).shuffle(orders)
        del orders[MAX_ORDERS:]
        self._legs: dict[tuple[int, int], Leg] = {}
        if predicted_ways is not None:
            orders = [order for order in orders if self._is_new_way(order, predicted_ways)]
        self._parts: dict[tuple[int, int, int], Touched] = {}
        orders.sort(key=self._promise, reverse=True)
        self._orders_left = orders[share[0] :: share[1]][::-1]
        self.simulated = 0  # steps

    def __bool__(self) -> bool:
        return bool(self._orders_left)

    def candidates(self, covered: Mapping[str, set[Key]], steps: int) -> list[Candidate]:
        """The next orders that are possible, and what they cover that is new; about so many steps are looked at."""
        found = []
        end = self.simulated + steps
        while self._orders_left and self.simulated < end:
            order = self._orders_left.pop()
            reached = self._arrange(*order)
            if reached is not None:
                steps_now = self._rearrangement.steps
                goals = self._new(steps_now, covered)
                mixed = self._mixed(*order[:3], reached)
                found.append(Candidate(self._plan(*order), goals, reads_from(steps_now), mixed))
        return found

    # -- orders -------------------------------------------------------------------------------------

    def _orders(self) -> Iterator[tuple[int, int, int, int]]:
        """(who is stopped, before which step, who runs then, up to which step)"""
        stops = {thread: self._stops(thread) for thread in self._kinds()}
        for first, second in permutations(stops, 2):
            untils = (*stops[second], len(self._rearrangement.programs[second]))
            for stop in dict.fromkeys((0, *stops[first])):  # the first step may be one of them
                for until in untils:
                    yield first, stop, second, until

    def _is_new_way(self, order: tuple[int, int, int, int], predicted_ways: dict[Way, int]) -> bool:
        first, stop, second, until = order
        way = self._leg(first, stop), self._leg(second, until)
        times = predicted_ways[way] = predicted_ways.get(way, 0) + 1
        return times <= _MAX_PREDICTIONS

    def _promise(self, order: tuple[int, int, int, int]) -> tuple[bool, tuple[int, int]]:
        """What is looked at first: one thread wholly before the other, then where most is seen half done."""
        _, stop, second, until = order
        return stop == 0 and until == len(self._rearrangement.programs[second]), self._mixed(*order)

    def _kinds(self) -> list[int]:
        """Threads that stand for all that did the same."""
        alike: dict[tuple[tuple[str, int], ...], list[int]] = {}
        for thread, program in self._rearrangement.programs.items():
            alike.setdefault(tuple((kind, site) for _, kind, _, site in program), []).append(thread)
        return sorted(thread for threads in alike.values() for thread in threads[:_THREADS_PER_KIND])

    def _stops(self, thread: int) -> list[int]:
        """The steps before which a thread may be stopped."""
        places: dict[tuple[str, int], list[int]] = {}
        for index, (_, kind, _, site) in enumerate(self._rearrangement.programs[thread]):
            if kind in STOPS and site:
                places.setdefault((kind, site), []).append(index)
        return sorted({index for rounds in places.values() for index in (*rounds[:_ITERATIONS], rounds[-1])})

    # -- one order ----------------------------------------------------------------------------------

    def _arrange(self, first: int, stop: int, second: int, until: int) -> int | None:
        """Have the steps in this order, if it is possible: how far the second came before the first went on."""
        other = self._rearrangement
        other.begin()
        try:
            if stop:
                other.run(first, stop)
            other.suspend(first)
            if until < len(other.programs[second]):
                other.run(second, until)
            else:
                other.run_as_far_as_possible(second)
        except ImpossibleError:
            self.simulated += len(other.steps) + 1
            return None
        reached = other.done(second)
        other.suspend(second)
        other.resume(first)
        other.run_as_far_as_possible(first)
        other.resume(second)
        other.run_as_far_as_possible(second)
        self.simulated += len(other.steps)
        return reached

    def _mixed(self, first: int, stop: int, second: int, until: int) -> tuple[int, int]:
        """How much the second sees half done: changed by the first before the stop, and after it; then how much of
        what the second does lies between two things that the first does."""
        theirs = self._touched(second, 0, until)
        before, after = (
            self._touched(first, 0, stop),
            self._touched(first, stop, len(self._rearrangement.programs[first])),
        )
        half_done = _count(before, theirs, _reads_written) * _count(after, theirs, _reads_written)
        return half_done, _count(before, theirs, _conflict) * _count(after, theirs, _conflict)

    def _touched(self, thread: int, start: int, end: int) -> Touched:
        """The variables that these steps access, and how."""
        part = thread, start, end
        touched = self._parts.get(part)
        if touched is None:
            touched = self._parts[part] = {}
            for _, kind, target, _ in self._rearrangement.programs[thread][start:end]:
                if kind in ACCESSES:
                    touched.setdefault(target, set()).add(kind)
        return touched

    def _new(self, steps: Sequence[Step], covered: Mapping[str, set[Key]]) -> Goals:
        goals: Goals = {}
        late = [step for step in steps if step[3] not in self._early]
        for criterion in self._criteria:
            found = criterion.cover(tuple(late if criterion.late_only else steps), self._entities)
            new = found - covered.get(criterion.name, set())
            if new:
                goals[criterion.name] = frozenset(new)
        return goals

    def _plan(self, first: int, stop: int, second: int, until: int) -> Plan:
        legs = [self._leg(first, stop)] if stop else []
        return (
            *legs,
            self._leg(second, until),
            Leg(self._labels[first], steps=len(self._rearrangement.programs[first])),
        )

    def _leg(self, thread: int, until: int) -> Leg:
        known = self._legs.get((thread, until))
        if known is None:
            known = self._legs[thread, until] = self._new_leg(thread, until)
        return known

    def _new_leg(self, thread: int, until: int) -> Leg:
        label, program = self._labels[thread], self._rearrangement.programs[thread]
        if until >= len(program):
            return Leg(label, steps=len(program))
        _, kind, _, site = program[until]
        times = sum(1 for _, k, _, s in program[:until] if k == kind and s == site)
        return Leg(label, kind, site, times, until)


_Overlap = Callable[[set[str], set[str]], bool]  # what the first thread did to a variable, and the second


def _reads_written(mine: set[str], theirs: set[str]) -> bool:
    return "write" in mine and "read" in theirs


def _conflict(mine: set[str], theirs: set[str]) -> bool:
    return "write" in mine or "write" in theirs


def _count(mine: Touched, theirs: Touched, overlaps: _Overlap) -> int:
    return sum(1 for variable, done in mine.items() if variable in theirs and overlaps(done, theirs[variable]))


def reads_from(steps: Sequence[Step]) -> int:
    """A digest of which read sees which write, by their sites.

    >>> write, read = (1, "write", 5, 70001), (2, "read", 5, 70002)
    >>> reads_from([write, read]) == reads_from([read, write])
    False
    """
    last: dict[int, tuple[int, int]] = {}
    seen = set()
    for thread, kind, target, site in steps:
        if kind == WRITE:
            last[target] = thread, site
        elif kind == READ:
            writer, written_at = last.get(target, (thread, 0))
            seen.add((site, written_at, writer == thread))
    return hash(frozenset(seen))


def labels_of(steps: Sequence[Step], letter: str) -> dict[int, str]:
    """Return what schedules call the participants: by descent.

    >>> labels_of([(0, "start", 1, 0), (1, "start", 2, 0), (0, "start", 3, 0)], "T")
    {0: 'T0', 1: 'T1', 2: 'T1.1', 3: 'T2'}
    """
    labels, children = {0: first_label(letter)}, {0: 0}
    for thread, kind, target, _ in steps:
        if kind == START:
            children[thread] = number = children.get(thread, 0) + 1
            labels[target] = child_label(labels.get(thread, "?"), number)
    return labels
