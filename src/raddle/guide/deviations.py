"""Schedules with few preemptions, the fewest first: deviations from running one thread after the other.

Iterative context bounding (Musuvathi and Qadeer, PLDI 2007) over the texts of schedules: those without a
preemption, then those with one, and so on; at equal preemptions those that deviate least often come first,
as in delay-bounded scheduling (Emmi, Qadeer, Rakamaric, POPL 2011). Departures: a deviation is tried only where
it can matter by the trace at hand, that is where it turns a conflict round; and of threads that stand at
the same place the first one goes first, the others later, and only a few of them. So it is no proof that a
failure needs as many preemptions as it is left with.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from raddle.event import Event
from raddle.execute.session import Recorded
from raddle.guide.simpler import stops
from raddle.operation import COMMUTING, START
from raddle.schedule import Schedule, Segment

MAX_ALIKE = 8  # of one execution

PlaceOf = Callable[[Event], str]

_NOBODY_ELSES = {"enter", "leave", "start", "join", "end"}  # concern no other thread, or only in one order


class Deviation(NamedTuple):
    """A schedule to be tried; smaller ones sooner."""

    repeats: int  # how often it does what was tried already with another thread, or in another round
    deviations: int
    number: int  # in the order of being thought of
    start: int  # of the trace: from that event on it is news
    schedule: Schedule


class Deviations:
    """The schedules not tried so far, by preemptions; every one that was run makes others thinkable."""

    def __init__(self, place_of: PlaceOf, first: Schedule) -> None:
        self._place_of = place_of
        self._numbers = 0
        self._waiting: dict[int, list[Deviation]] = {0: [Deviation(0, 0, 0, -1, first)]}

    def has(self, level: int) -> bool:
        """Is there something to try with that many preemptions?"""
        return bool(self._waiting.get(level))

    def take(self, level: int) -> Deviation:
        """The next one to try with that many preemptions."""
        return heapq.heappop(self._waiting[level])

    def learn(self, tried: Deviation, seen: Recorded, wanted: Callable[[Schedule], bool]) -> None:
        """It was run, and this was seen: which deviations from there can matter?"""
        follow = Following(seen, self._place_of)
        for index in range(tried.start + 1, len(seen.trace)):
            for stopped, other, repeats in follow.deviations(index):
                schedule = follow.deviate(tried, index, other, stopped=stopped)
                if wanted(schedule):
                    self._numbers += 1
                    deviation = Deviation(tried.repeats + repeats, tried.deviations + 1, self._numbers, index, schedule)
                    heapq.heappush(self._waiting.setdefault(stops(schedule), []), deviation)


class Following:
    """What may be done differently in one execution."""

    def __init__(self, seen: Recorded, place_of: PlaceOf) -> None:
        self._events = events = seen.trace.events
        self._place_of = place_of
        self._begun: dict[str, int] = {events[0].thread: -1} if events else {}
        self._last: dict[str, int] = {}
        self._own: dict[str, list[int]] = defaultdict(list)
        # By variable and thread: the last step, and the last one that does not commute with its like.
        self._uses: dict[tuple[int, str], dict[str, tuple[int, int]]] = defaultdict(dict)
        self._alike: dict[tuple[str, str, bool], int] = defaultdict(int)
        for index, event in enumerate(events):
            self._own[event.thread].append(index)
            self._last[event.thread] = index
            if event.kind == START:
                self._begun[event.variable] = index
            if event.object and event.kind not in _NOBODY_ELSES:
                uses = self._uses[event.datum]
                strong = uses.get(event.thread, (-1, -1))[1]
                uses[event.thread] = (index, strong if event.kind in COMMUTING else index)

    def deviations(self, index: int) -> Iterator[tuple[bool, str, int]]:
        """Before that event: is somebody stopped there, who could run instead, and how often was that so before?

        Deviations are alike where threads stand at the same places; a few of each kind have to do.
        """
        event = self._events[index]
        before = self._events[index - 1].thread if index else event.thread
        stopped = before == event.thread
        if stopped and (not event.object or event.kind in _NOBODY_ELSES):
            return
        place = self._place_of(event)
        others = [
            other
            for other, begun in self._begun.items()
            if other not in (event.thread, before) and begun < index <= self._last.get(other, -1)
        ]
        conflicting = {other for other in others if self._conflicts(event, index, other)} if stopped else set()
        if stopped and not conflicting:
            return
        for other in others:
            like = (place, self._next_place(other, index), stopped)
            if self._alike[like] < MAX_ALIKE and (stopped or self._order_matters(other, index)):
                # Another one may have to go first, so that the one in conflict finds what it needs; less likely.
                yield stopped, other, self._alike[like] + (stopped and other not in conflicting)
                self._alike[like] += 1

    def _conflicts(self, event: Event, index: int, other: str) -> bool:
        """Does the other still do something that does not commute with this event?"""
        last, strong = self._uses[event.datum].get(other, (-1, -1))
        return (strong if event.kind in COMMUTING else last) > index

    def _order_matters(self, other: str, index: int) -> bool:
        """Does the thread still do something that does not commute with what somebody else still does?"""
        for uses in self._uses.values():
            last, strong = uses.get(other, (-1, -1))
            if last < index:
                continue
            for thread, (their_last, their_strong) in uses.items():
                if thread != other and (their_strong >= index or (strong >= index and their_last >= index)):
                    return True
        return False

    def _next_place(self, thread: str, index: int) -> str:
        own = self._own[thread]
        return self._place_of(self._events[own[bisect_left(own, index)]])

    def deviate(self, tried: Deviation, index: int, other: str, *, stopped: bool) -> Schedule:
        """The schedule followed up to that event, and the other thread from there on."""
        segments = list(tried.schedule.segments)
        passed = [event.thread for event in self._events[max(tried.start, 0) : index]]
        segments += [Segment(thread) for before, thread in pairwise(passed) if thread != before]
        if stopped:
            place = self._place_of(self._events[index])
            segments[-1] = Segment(segments[-1].thread, place, 1 + self.arrivals(index, place))
        return Schedule((*segments, Segment(other)))

    def arrivals(self, index: int, place: str) -> int:
        """How often the thread that is stopped before that event came to the place since it was resumed."""
        own = self._events[index - 1].thread
        first = index
        while first and self._events[first - 1].thread == own:
            first -= 1
        if first != self._own[own][0]:  # what it does first when it is resumed, it had arrived at before
            first += 1
        return sum(1 for event in self._events[first:index] if self._place_of(event) == place)
