"""Enumerates schedules with few preemptions, as deviations from running one thread after another.

This is iterative context bounding (Musuvathi and Qadeer, PLDI 2007) on schedule texts. Schedules without a preemption
come first, then those with one, and so on. Among schedules with the same number of preemptions, those with the fewest
deviations come first, as in delay-bounded scheduling (Emmi, Qadeer, Rakamaric, POPL 2011).

Unlike in the papers, a deviation is tried only if it can reverse a conflict in the trace. If several threads are
at the same place, the first one is tried first, and only a few of the others are tried later. So the simplest
schedule found may still have more preemptions than the failure needs.
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

MAX_ALIKE = 8  # maximum number of similar deviations tried per execution

PlaceOf = Callable[[Event], str]

# Kinds of event that affect no other thread, or that can happen in only one order.
_NOT_CONFLICTING = {"enter", "leave", "start", "join", "end"}


class Deviation(NamedTuple):
    """A schedule to try. Deviations that compare as smaller are tried first."""

    repeats: int  # number of similar deviations tried before, in another iteration or with another thread
    deviations: int  # number of deviations from running one thread after another
    number: int  # sequence number, in order of creation
    start: int  # index of the trace event at which the last deviation happened
    schedule: Schedule


class Deviations:
    """The untried schedules, by number of preemptions. Each execution adds more."""

    def __init__(self, place_of: PlaceOf, first: Schedule) -> None:
        self._place_of = place_of
        self._numbers = 0
        self._waiting: dict[int, list[Deviation]] = {0: [Deviation(0, 0, 0, -1, first)]}

    def has(self, level: int) -> bool:
        """Return whether a schedule with `level` preemptions is left to try."""
        return bool(self._waiting.get(level))

    def take(self, level: int) -> Deviation:
        """Remove and return the next schedule with `level` preemptions."""
        return heapq.heappop(self._waiting[level])

    def learn(self, tried: Deviation, seen: Recorded, wanted: Callable[[Schedule], bool]) -> None:
        """Add the deviations from `seen`, provided that they can make a difference and that `wanted` accepts them.

        `seen` is the execution of `tried`.
        """
        follow = ExecutionDeviations(seen, self._place_of)
        for index in range(tried.start + 1, len(seen.trace)):
            for stopped, other, repeats in follow.deviations(index):
                schedule = follow.deviate(tried, index, other, stopped=stopped)
                if wanted(schedule):
                    self._numbers += 1
                    deviation = Deviation(tried.repeats + repeats, tried.deviations + 1, self._numbers, index, schedule)
                    heapq.heappush(self._waiting.setdefault(stops(schedule), []), deviation)


class ExecutionDeviations:
    """The possible deviations from one execution."""

    def __init__(self, seen: Recorded, place_of: PlaceOf) -> None:
        self._events = events = seen.trace.events
        self._place_of = place_of
        self._begun: dict[str, int] = {events[0].thread: -1} if events else {}
        self._last: dict[str, int] = {}
        self._own: dict[str, list[int]] = defaultdict(list)
        # Maps a variable and a thread to the thread's last step on the variable, and to its last such step that does
        # not commute with steps of the same kind.
        self._uses: dict[tuple[int, str], dict[str, tuple[int, int]]] = defaultdict(dict)
        self._alike: dict[tuple[str, str, bool], int] = defaultdict(int)
        for index, event in enumerate(events):
            self._own[event.thread].append(index)
            self._last[event.thread] = index
            if event.kind == START:
                self._begun[event.variable] = index
            if event.object and event.kind not in _NOT_CONFLICTING:
                uses = self._uses[event.datum]
                strong = uses.get(event.thread, (-1, -1))[1]
                uses[event.thread] = (index, strong if event.kind in COMMUTING else index)

    def deviations(self, index: int) -> Iterator[tuple[bool, str, int]]:
        """Yield deviations just before an event, as (whether a thread is preempted, thread to run instead, repeats).

        Two deviations are similar if their threads are at the same places. At most `MAX_ALIKE` similar deviations are
        yielded.
        """
        event = self._events[index]
        before = self._events[index - 1].thread if index else event.thread
        stopped = before == event.thread
        if stopped and (not event.object or event.kind in _NOT_CONFLICTING):
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
                # A third thread may have to run first to enable the conflict. That is less likely, so such a deviation
                # is tried later.
                yield stopped, other, self._alike[like] + (stopped and other not in conflicting)
                self._alike[like] += 1

    def _conflicts(self, event: Event, index: int, other: str) -> bool:
        """Return whether the other thread later executes a step that does not commute with this event."""
        last, strong = self._uses[event.datum].get(other, (-1, -1))
        return (strong if event.kind in COMMUTING else last) > index

    def _order_matters(self, other: str, index: int) -> bool:
        """Return whether the thread has a step left that does not commute with a remaining step of another thread."""
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
        """Return a schedule that follows `tried` up to the event at `index` and then runs the other thread."""
        segments = list(tried.schedule.segments)
        passed = [event.thread for event in self._events[max(tried.start, 0) : index]]
        segments += [Segment(thread) for before, thread in pairwise(passed) if thread != before]
        if stopped:
            place = self._place_of(self._events[index])
            segments[-1] = Segment(segments[-1].thread, place, 1 + self.arrivals(index, place))
        return Schedule((*segments, Segment(other)))

    def arrivals(self, index: int, place: str) -> int:
        """Count the visits to `place` by the thread that ran just before event `index`, since it was last resumed."""
        own = self._events[index - 1].thread
        first = index
        while first and self._events[first - 1].thread == own:
            first -= 1
        if first != self._own[own][0]:  # a resumed thread had already reached its next step when it was stopped
            first += 1
        return sum(1 for event in self._events[first:index] if self._place_of(event) == place)
