"""SURW, the selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025).

Threads with more remaining events are chosen more often: if the probability of each thread is proportional to the
number of events it has left, all interleavings are equally likely. The events of a whole execution have too many
interleavings. So for each execution, the scheduler randomly selects the events on one variable (or on one kind of
resource, or all events) and makes the orders of the selected events equally likely. The thread that performs the next
selected event is drawn beforehand, and the other threads stop before such an event. Among all threads that are not
stopped, the choice is uniform, so other events do not bias the order.

The events of each thread are counted in two separate executions. In each counting execution, the thread with the
highest random priority runs. The second execution reverses the priorities of the first. Two executions are needed
because the scheduler is not called while only one thread is enabled: the thread that runs last in one of them runs
first in the other. The counting is repeated when scheduling points are added, but only after the number of executions
has at least doubled since the last counting.

An execution therefore depends on the seed, on the number of the execution and on the counts. The same seed gives the
same run, but a single execution can be repeated only once the events have been counted.

Unlike in the paper, counts are kept per site. If sites accessed the same variable during the counting, all executions
treat them as accesses to one variable. Locks and other resources are distinguished only by the kinds of operation on
them. Blocked threads do not take part in the draw, and a thread that was drawn stays drawn when it starts another
thread. If the drawn thread's event does not happen for a long time, another thread is drawn. Forced steps, for which
the scheduler is not called, do not reduce the number of events that a thread has left. As in the paper, this number
includes the events of threads that the thread will start. If the count was too low, the number stays at 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from raddle.labels import parent_label
from raddle.operation import ACCESSES
from raddle.schedulers.base import Thread
from raddle.schedulers.rng import FACTOR, MASK, SUMMAND, RandomScheduler, first_state

COUNTING_EXECUTIONS = 2
# Limits for a thread that was drawn, or that has the highest priority, but spins while it waits for a thread that is
# held back.
PATIENCE = 50  # other events, beyond those counted, after which another thread is drawn
MAX_PATIENCE, MIN_PATIENCE = 500, 8
MAX_CONSECUTIVE_DECISIONS = 100  # maximum number of consecutive decisions for one thread while counting
Place = int | str  # the site of an access, or the kind of another operation


class Interest(NamedTuple):
    """The events whose orders are made equally likely in one execution."""

    places: frozenset[Place] | None  # places of the selected events; None for all places
    accounts: Mapping[str, int]  # by thread: number of selected events, including those of its descendants if `nested`
    nested: bool  # True if a thread with selected events also starts threads with selected events
    patience: int  # number of other events after which another thread is drawn


class UniformWalk(RandomScheduler):
    """Makes the orders of selected events equally likely.

    >>> walk = UniformWalk(seed=1)
    >>> walk.begin(1, 0)
    True
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._space: int | None = None
        self._executions = 0
        self._next_counting = 0  # number of executions after which the counting may be repeated
        self._to_count = 0  # number of counting executions left
        self._counted: dict[str, dict[Place, int]] = {}  # number of events by thread and place
        self._groups: dict[Place, Place] = {}  # union-find forest of the places that access the same variable
        self._interests = [Interest(None, {}, nested=False, patience=0)]

    # -- an execution -------------------------------------------------------------------------------

    def begin(self, number: int, space: int) -> bool:
        if space != self._space and not self._to_count and self._executions >= self._next_counting:
            self._space = space
            self._to_count = COUNTING_EXECUTIONS
            self._next_counting = 2 * (self._executions + COUNTING_EXECUTIONS)
            self._counted, self._groups = {}, {}
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
        """Choose the drawn thread, or any thread whose next event is not of interest."""
        if self._intended is None:
            self._intended = self._intend(enabled, places)
        if thread is not self._intended:
            free = [
                t for t in enabled if t is self._intended or (t.site if t.kind in ACCESSES else t.kind) not in places
            ]
            if not free:  # the drawn thread is blocked by the others, or has ended
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
        """Draw the thread for the next event of interest, weighting each thread by the number of events it has left."""
        self._open_accounts(enabled)
        weights = [self._weights[t.label] or ((t.site if t.kind in ACCESSES else t.kind) in places) for t in enabled]
        self._state = state = (self._state * FACTOR + SUMMAND) & MASK
        at = (state >> 32) * sum(weights) >> 32
        for thread, weight in zip(enabled, weights, strict=True):  # noqa: B007
            at -= weight
            if at < 0:
                break
        return thread

    def _draw(self, enabled: Sequence[Thread]) -> Thread:
        """Draw a thread with probability proportional to its number of remaining events; all events are of interest."""
        weights = self._weights
        total = 0
        try:
            for thread in enabled:
                total += weights[thread.label]
        except KeyError:
            self._open_accounts(enabled)
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

    def _open_accounts(self, enabled: Sequence[Thread]) -> None:
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
        if self._in_a_row == MAX_CONSECUTIVE_DECISIONS:
            priorities[best.label] = min(priorities.values()) - 1
        place: Place = best.kind
        if best.kind in ACCESSES:
            place = best.site
        counts = self._counts.setdefault(best.label, {})
        counts[place] = counts.get(place, 0) + 1
        name = best.name if best.kind in ACCESSES else ""
        first = self._variables.setdefault((id(best.target), name), place)
        _merge_groups(self._groups, first, place)
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
            self._interests = interests(self._counted, self._groups)

    def memory(self) -> object:
        return (self._counts, self._groups) if self._counting else None

    def remember(self, memory: object) -> None:
        if memory is not None:
            found: Any = memory
            self._counts, self._groups = found


def interests(counted: Mapping[str, Mapping[Place, int]], same: dict[Place, Place]) -> list[Interest]:
    """Return the interests to select from: all events, and the events on each variable that at least two threads use.

    `same` is a union-find forest of the places that access the same variable. If there is only one variable, return
    only the interest in all events.

    >>> one = interests({"T1": {70001: 3}, "T2": {70001: 2}}, {70001: 70001})
    >>> [(i.places, i.accounts) for i in one]
    [(None, {'T1': 3, 'T2': 2})]
    """
    groups: dict[Place, set[Place]] = {}
    for place in same:
        groups.setdefault(_root(same, place), set()).add(place)
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
        for each in _ancestry(label):
            with_children[each] = with_children.get(each, 0) + count
    nested = any(count and with_children[label] > count for label, count in own.items())
    elsewhere = sum(sum(counts.values()) for counts in counted.values()) - sum(own.values())
    return Interest(places, with_children if nested else own, nested, min(PATIENCE + elsewhere, MAX_PATIENCE))


def _ancestry(label: str) -> Iterable[str]:
    """Yield the label of a thread and those of its ancestors.

    >>> list(_ancestry("T2.1"))
    ['T2.1', 'T2', 'T0']
    """
    while label:
        yield label
        label = parent_label(label)


def _root(groups: dict[Place, Place], place: Place) -> Place:
    while groups[place] != place:
        place = groups[place]
    return place


def _merge_groups(groups: dict[Place, Place], one: Place, other: Place) -> None:
    """Record that two places access the same variable."""
    groups.setdefault(one, one)
    groups.setdefault(other, other)
    if one != other:
        groups[_root(groups, one)] = _root(groups, other)
