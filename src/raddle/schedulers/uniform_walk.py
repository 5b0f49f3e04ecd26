"""SURW, the selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025).

Who has more left to do is chosen more often: taking each thread with a probability in proportion to the
events it has left makes all interleavings equally likely. Over a whole execution they are too many, so each
execution takes one variable at random (or one kind of resource; or everything, as one more candidate) and
makes the orders of its accesses equally likely. Who is to make the next of these is drawn beforehand; the
others stop before theirs, and among all who are not stopped the choice is even, so that what happens
elsewhere does not bias it.

How many events a thread has is counted in two executions of the walk's own: threads have priorities, the
highest runs, and in the second one the priorities are the other way round. Two, as nobody is asked where only
one thread can go on: whoever comes last in one of them comes first in the other. They are done again when
scheduling points were added, but not more often than as many other executions lie between.

So an execution depends on the seed, its number, and what was counted: the same seed gives the same run, but
an execution by itself only after the counting.

Departures from the paper: counts are kept per site, and sites that met at one variable in the counting are
taken to be that variable in all executions; locks and other resources are told apart by what is done with
them only. Threads that are blocked do not take part in the drawing, and who was drawn stays so when it starts
another thread. If its event does not come for a long time, somebody is drawn anew. Events of a thread that
goes on alone are not seen, so they stay in its account. As in the paper, a thread's account includes those of
the threads it will start, and one that turns out too low is taken to be 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from raddle.labels import parent_label
from raddle.operation import ACCESSES
from raddle.schedulers.base import Thread
from raddle.schedulers.rng import FACTOR, MASK, SUMMAND, RandomScheduler, first_state

COUNTINGS = 2
# Who was drawn, or has the highest priority, may wait in a loop for those that are held back because of it.
PATIENCE = 50  # other events in between, beyond those there were in the counting, before somebody is drawn anew
MAX_PATIENCE, MIN_PATIENCE = 500, 8
LONGEST_RUN = 100  # decisions in a row for one thread while counting
Place = int | str  # the site of an access, the kind of another operation


class Interest(NamedTuple):
    """What one execution is to be uniform over."""

    places: frozenset[Place] | None  # None: everywhere
    accounts: Mapping[str, int]  # events by thread, where nested those of the threads it starts included
    nested: bool  # has a thread that starts others events of its own?
    patience: int


class UniformWalk(RandomScheduler):
    """>>> walk = UniformWalk(seed=1)
    >>> walk.begin(1, 0)
    True
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._space: int | None = None
        self._executions = 0
        self._count_again = 0  # not before so many executions
        self._to_count = 0  # executions
        self._counted: dict[str, dict[Place, int]] = {}
        self._met: dict[Place, Place] = {}
        self._interests = [Interest(None, {}, nested=False, patience=0)]

    # -- an execution -------------------------------------------------------------------------------

    def begin(self, number: int, space: int) -> bool:
        if space != self._space and not self._to_count and self._executions >= self._count_again:
            self._space = space
            self._to_count = COUNTINGS
            self._count_again = 2 * (self._executions + COUNTINGS)
            self._counted, self._met = {}, {}
            self._base = number
        self._executions += 1
        self._counting = self._to_count > 0
        if self._counting:
            self._state = first_state(self._seed, self._base)
            self._priorities: dict[str, int] = {}
            self._last, self._in_a_row = "", 0
            self._counts: dict[str, dict[Place, int]] = {}
            self._variables: dict[tuple[int, str], Place] = {}
            return True
        state = first_state(self._seed, number)
        interest = self._interests[(state >> 32) * len(self._interests) >> 32]
        self._places, self._accounts, self._nested, self._patience = interest
        self._state = (state * FACTOR + SUMMAND) & MASK
        self._weights = {} if self._nested else dict(self._accounts)
        self._intended: Thread | None = None
        self._waits = 0
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if self._counting:
            return self._count(enabled)
        places = self._places
        if places is None:
            return self._draw(enabled)
        self._state = state = (self._state * FACTOR + SUMMAND) & MASK
        thread = enabled[(state >> 32) * len(enabled) >> 32]
        if (thread.site if thread.kind in ACCESSES else thread.kind) not in places:
            return thread
        return self._take_turns(enabled, places, thread, state)

    def _take_turns(self, enabled: Sequence[Thread], places: frozenset[Place], thread: Thread, state: int) -> Thread:
        """Somebody could make an event that counts: only who was drawn for that may; else any other event."""
        if self._intended is None:
            self._intended = self._intend(enabled, places)
        if thread is not self._intended:
            free = [
                t for t in enabled if t is self._intended or (t.site if t.kind in ACCESSES else t.kind) not in places
            ]
            if not free:  # who was drawn is blocked by the others, or has ended
                free = [self._intend(enabled, places)]
            thread = free[(state & 0xFFFFFFFF) * len(free) >> 32]
        if (thread.site if thread.kind in ACCESSES else thread.kind) in places:
            label = thread.label
            self._weights[label] = max(self._weights[label] - 1, 0)
            self._intended = None
            self._waits = 0
        else:
            self._waits += 1
            if self._waits > self._patience:
                self._patience = max(self._patience // 2, MIN_PATIENCE)
                self._intended = None
                self._waits = 0
        return thread

    def _intend(self, enabled: Sequence[Thread], places: frozenset[Place]) -> Thread:
        self._meet(enabled)
        weights = [self._weights[t.label] or ((t.site if t.kind in ACCESSES else t.kind) in places) for t in enabled]
        self._state = state = (self._state * FACTOR + SUMMAND) & MASK
        at = (state >> 32) * sum(weights) >> 32
        for thread, weight in zip(enabled, weights, strict=True):  # noqa: B007
            at -= weight
            if at < 0:
                break
        return thread

    def _draw(self, enabled: Sequence[Thread]) -> Thread:
        """In proportion to what is left: everything counts."""
        weights = self._weights
        total = 0
        try:
            for thread in enabled:
                total += weights[thread.label]
        except KeyError:
            self._meet(enabled)
            total = sum(weights[thread.label] for thread in enabled)
        self._state = state = (self._state * FACTOR + SUMMAND) & MASK
        at = (state >> 32) * total >> 32
        for thread in enabled:
            label = thread.label
            left = weights[label]
            at -= left
            if at < 0:
                break
        if left > 1:
            weights[label] = left - 1
        return thread

    def _meet(self, enabled: Sequence[Thread]) -> None:
        for thread in enabled:
            if thread.label not in self._weights:
                self._open_account(thread.label)

    def _open_account(self, label: str) -> None:
        least = int(self._places is None)
        account = self._accounts.get(label, least)
        parent = parent_label(label)
        if parent and self._nested:
            if parent not in self._weights:
                self._open_account(parent)
            self._weights[parent] = max(self._weights[parent] - account, least)
        self._weights[label] = account

    # -- counting -----------------------------------------------------------------------------------

    def _count(self, enabled: Sequence[Thread]) -> Thread:
        priorities = self._priorities
        for thread in enabled:
            if thread.label not in priorities:
                self._state = state = (self._state * FACTOR + SUMMAND) & MASK
                priorities[thread.label] = state if self._to_count % 2 else ~state
        best = max(enabled, key=lambda t: priorities[t.label])
        self._in_a_row = self._in_a_row + 1 if best.label == self._last else 1
        self._last = best.label
        if self._in_a_row == LONGEST_RUN:
            priorities[best.label] = min(priorities.values()) - 1
        place: Place = best.kind
        if best.kind in ACCESSES:
            place = best.site
        counts = self._counts.setdefault(best.label, {})
        counts[place] = counts.get(place, 0) + 1
        name = best.name if best.kind in ACCESSES else ""
        known = self._variables.setdefault((id(best.target), name), place)
        _join(self._met, known, place)
        return best

    def end(self) -> None:
        if not self._counting:
            return
        self._to_count -= 1
        for label, counts in self._counts.items():
            most = self._counted.setdefault(label, {})
            for place, count in counts.items():
                most[place] = max(most.get(place, 0), count)
        if not self._to_count:
            self._interests = interests(self._counted, self._met)

    def memory(self) -> object:
        return (self._counts, self._met) if self._counting else None

    def remember(self, memory: object) -> None:
        if memory is not None:
            found: Any = memory
            self._counts, self._met = found


def interests(counted: Mapping[str, Mapping[Place, int]], met: dict[Place, Place]) -> list[Interest]:
    """Everything, and each variable that at least two threads were seen to use, if there are several.

    >>> one = interests({"T1": {70001: 3}, "T2": {70001: 2}}, {70001: 70001})
    >>> [(i.places, i.accounts) for i in one]
    [(None, {'T1': 3, 'T2': 2})]
    """
    groups: dict[Place, set[Place]] = {}
    for place in met:
        groups.setdefault(_root(met, place), set()).add(place)
    shared = [
        frozenset(places)
        for places in groups.values()
        if len(groups) > 1 and sum(1 for counts in counted.values() if not places.isdisjoint(counts)) > 1
    ]
    return [_interest(None, counted), *(_interest(places, counted) for places in shared)]


def _interest(places: frozenset[Place] | None, counted: Mapping[str, Mapping[Place, int]]) -> Interest:
    own = {
        label: sum(count for place, count in counts.items() if places is None or place in places)
        for label, counts in counted.items()
    }
    with_children: dict[str, int] = {}
    for label, count in own.items():
        for each in _line(label):
            with_children[each] = with_children.get(each, 0) + count
    nested = any(count and with_children[label] > count for label, count in own.items())
    elsewhere = sum(sum(counts.values()) for counts in counted.values()) - sum(own.values())
    return Interest(places, with_children if nested else own, nested, min(PATIENCE + elsewhere, MAX_PATIENCE))


def _line(label: str) -> Iterable[str]:
    """A thread and those it comes from.

    >>> list(_line("T2.1"))
    ['T2.1', 'T2', 'T0']
    """
    while label:
        yield label
        label = parent_label(label)


def _root(met: dict[Place, Place], place: Place) -> Place:
    while met[place] != place:
        place = met[place]
    return place


def _join(met: dict[Place, Place], one: Place, other: Place) -> None:
    """Two places came to the same variable."""
    met.setdefault(one, one)
    met.setdefault(other, other)
    if one != other:
        met[_root(met, one)] = _root(met, other)
