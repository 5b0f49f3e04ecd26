"""Prediction: computes what an execution would have covered if its threads had been interleaved differently.

Predictive analyses reorder a trace and search it for races (Said et al., NFM 2011, among many others). Here, the
criteria themselves are evaluated on the reordered trace. The steps are rearranged into another order that locks, starts
and joins allow. An order is worth trying if a criterion finds that it covers something new. So any criterion can guide
the search, even one whose requirements cannot be enumerated.

Coverage does not distinguish all interactions between threads. With very many threads, nearly all requirements may be
covered even if a particular combination of steps has never occurred. So an order is also worth trying if its reads
would see a combination of writes that no earlier plan has produced (as in reads-from fuzzing, Wolff et al., ASPLOS
2024).

In each order, one thread is stopped, a second thread runs up to some place, and then the first continues. Nearly all
known bug patterns that involve two threads have this form. Among the orders that are tried for a new combination of
writes, the best are those in which the second thread sees a half-finished update: the first thread has already changed
some variables and is about to change others.

Threads that execute the same steps are interchangeable, and so are the iterations of a loop. So prediction considers
only two threads of each kind, and only the first two visits and the last visit to each place. Executions often differ
only in the number of iterations. So a pair of legs (the places where the two threads stop) is skipped once it has been
predicted from two executions.
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

# A thread can be stopped before steps of these kinds. A release is not a scheduling point.
STOPS = CONTENDED | {READ, WRITE, SET}
MAX_STEPS = 5_000  # executions with more steps are not used for prediction
MAX_ORDERS = 1_000  # maximum number of orders considered per execution
_THREADS_PER_KIND = 2  # number of threads considered among those that execute the same steps
_ITERATIONS = 2  # number of loop iterations considered, in addition to the last one
_MAX_PREDICTIONS = 2  # maximum number of executions from which the same pair of legs is predicted

Goals = dict[str, frozenset[Key]]  # maps each criterion to the requirements that an order should newly cover
Touched = dict[int, set[str]]  # maps each variable to the kinds of access to it: read, write, or both
LegPair = tuple[Leg, Leg]  # the leg of the thread that is stopped first, and the leg of the second thread


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan and the requirements it should cover."""

    plan: Plan
    goals: Goals
    reads_digest: int = 0  # digest of which reads see which writes
    mixed: tuple[int, int] = (0, 0)  # see `Prediction._mixed`

    @property
    def worth(self) -> int:
        return sum(map(len, self.goals.values()))


def shape_of(steps: Sequence[Step]) -> int:
    """Return a hash that is the same for executions whose threads execute the same steps, however they are interleaved.

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
    """Simulates alternative orders of the steps of one execution, one after another."""

    def __init__(
        self,
        steps: Sequence[Step],
        entities: Entities,
        criteria: Sequence[Criterion],
        *,
        early: frozenset[int] = frozenset(),
        seed: int = 1,
        share: tuple[int, int] = (0, 1),
        predicted_pairs: dict[LegPair, int] | None = None,  # number of executions from which each pair was predicted
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
        if predicted_pairs is not None:
            orders = [order for order in orders if self._is_new_pair(order, predicted_pairs)]
        self._parts: dict[tuple[int, int, int], Touched] = {}
        orders.sort(key=self._promise, reverse=True)
        self._orders_left = orders[share[0] :: share[1]][::-1]
        self.simulated = 0  # number of steps simulated so far

    def __bool__(self) -> bool:
        return bool(self._orders_left)

    def candidates(self, covered: Mapping[str, set[Key]], steps: int) -> list[Candidate]:
        """Simulate the next orders, for about `steps` steps in total. Return a candidate for each feasible order."""
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
        """Yield each order as (first thread, steps before it stops, second thread, steps before it stops)."""
        stops = {thread: self._stops(thread) for thread in self._kinds()}
        for first, second in permutations(stops, 2):
            untils = (*stops[second], len(self._rearrangement.programs[second]))
            for stop in dict.fromkeys((0, *stops[first])):  # index 0 may also be among the stops
                for until in untils:
                    yield first, stop, second, until

    def _is_new_pair(self, order: tuple[int, int, int, int], predicted_pairs: dict[LegPair, int]) -> bool:
        first, stop, second, until = order
        pair = self._leg(first, stop), self._leg(second, until)
        times = predicted_pairs[pair] = predicted_pairs.get(pair, 0) + 1
        return times <= _MAX_PREDICTIONS

    def _promise(self, order: tuple[int, int, int, int]) -> tuple[bool, tuple[int, int]]:
        """Return a sort key: whether the second thread runs entirely before the first, and the result of `_mixed`."""
        _, stop, second, until = order
        return stop == 0 and until == len(self._rearrangement.programs[second]), self._mixed(*order)

    def _kinds(self) -> list[int]:
        """Return up to `_THREADS_PER_KIND` threads from each group of threads that executed the same steps."""
        alike: dict[tuple[tuple[str, int], ...], list[int]] = {}
        for thread, program in self._rearrangement.programs.items():
            alike.setdefault(tuple((kind, site) for _, kind, _, site in program), []).append(thread)
        return sorted(thread for threads in alike.values() for thread in threads[:_THREADS_PER_KIND])

    def _stops(self, thread: int) -> list[int]:
        """Return the indices of the steps before which a thread may be stopped."""
        places: dict[tuple[str, int], list[int]] = {}
        for index, (_, kind, _, site) in enumerate(self._rearrangement.programs[thread]):
            if kind in STOPS and site:
                places.setdefault((kind, site), []).append(index)
        return sorted({index for rounds in places.values() for index in (*rounds[:_ITERATIONS], rounds[-1])})

    # -- one order ----------------------------------------------------------------------------------

    def _arrange(self, first: int, stop: int, second: int, until: int) -> int | None:
        """Simulate an order; return None if it is infeasible.

        Otherwise return the number of steps that the second thread takes before the first continues.
        """
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
        """Return two measures of the inconsistency that the second thread sees.

        Each measure is the product of two counts: the variables on which the second thread conflicts with the first
        thread's steps before the stop, and those on which it conflicts with the first thread's steps after the stop.
        The first measure counts only variables that the first thread writes and the second thread reads.
        """
        theirs = self._touched(second, 0, until)
        before, after = (
            self._touched(first, 0, stop),
            self._touched(first, stop, len(self._rearrangement.programs[first])),
        )
        half_done = _count(before, theirs, _reads_written) * _count(after, theirs, _reads_written)
        return half_done, _count(before, theirs, _conflict) * _count(after, theirs, _conflict)

    def _touched(self, thread: int, start: int, end: int) -> Touched:
        """Return the variables that a thread accesses in steps `start` to `end - 1`, with the kinds of access."""
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


# Takes the kinds of access to one variable by the first and by the second thread.
_Overlap = Callable[[set[str], set[str]], bool]


def _reads_written(mine: set[str], theirs: set[str]) -> bool:
    return "write" in mine and "read" in theirs


def _conflict(mine: set[str], theirs: set[str]) -> bool:
    return "write" in mine or "write" in theirs


def _count(mine: Touched, theirs: Touched, overlaps: _Overlap) -> int:
    return sum(1 for variable, done in mine.items() if variable in theirs and overlaps(done, theirs[variable]))


def reads_from(steps: Sequence[Step]) -> int:
    """Return a digest of the reads-from relation: pairs of a read's site and the site of the write that it reads from.

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
    """Return the labels that schedules use for the participants, derived from the start steps.

    >>> labels_of([(0, "start", 1, 0), (1, "start", 2, 0), (0, "start", 3, 0)], "T")
    {0: 'T0', 1: 'T1', 2: 'T1.1', 3: 'T2'}
    """
    labels, children = {0: first_label(letter)}, {0: 0}
    for thread, kind, target, _ in steps:
        if kind == START:
            children[thread] = number = children.get(thread, 0) + 1
            labels[target] = child_label(labels.get(thread, "?"), number)
    return labels
