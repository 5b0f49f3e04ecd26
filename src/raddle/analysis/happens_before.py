"""Which steps happened before which: vector clocks that follow an execution step by step.

A step happened before another one if the same thread did both in that order, or if something was handed over in
between: by a giving step and a later taking one on the same resource (`raddle.step`), by starting a thread, by
joining one that ended. Every earlier giving step on the resource counts, not only the last: queues, events and
semaphores have one lock inside that all of them go through.

Clocks are kept as in FastTrack (Flanagan and Freund, 2009). A thread's time goes on only where it gives something;
(slot, time) is an epoch. What a resource has to give is one epoch and the clock that belongs to it, shared with
the thread and not copied, as long as each giver knew what the one before gave; it is a clock of its own only where
that is not so (two that put into a queue). Taking what is known already is one look-up.

Clocks have an entry per slot, not per thread. A thread that ended leaves its slot to a new one as soon as everybody
alive knows of its end, so threads that come and go leave nothing behind. Threads that nobody joins keep theirs,
until there are more than `MAX_ENDED`: then the oldest is taken to be known to everybody. A race with a thread
that ended so long ago can be missed thereby; none can be invented.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from raddle.operation import END, GIVES, JOIN, START, TAKES

MAX_ENDED = 64  # threads whose end somebody alive does not know of

ORDERING = GIVES | TAKES | {START, END, JOIN}  # the kinds of steps that change what threads know

Clock: TypeAlias = dict[int, int]  # by slot: the time up to which everything is known
PublishedClock: TypeAlias = tuple[int, int, Clock]  # slot and time of the giver, and what it knew of others

_MERGED = -1  # instead of a slot: several gave, the clock says it all


class ThreadClock:
    """One thread's line of time."""

    __slots__ = ("clock", "is_shared", "slot", "time")

    def __init__(self, slot: int, time: int, clock: Clock) -> None:
        self.slot = slot
        self.time = time
        self.clock = clock  # says nothing of the line's own slot
        self.is_shared = False  # somebody else looks at the clock, so it must not be changed

    def knows(self, slot: int, time: int) -> bool:
        """Did everything of that epoch happen before what this thread does now?"""
        return slot == self.slot or self.clock.get(slot, 0) >= time

    def publish(self) -> PublishedClock:
        """What the thread knows now; never changes."""
        self.is_shared = True
        return self.slot, self.time, self.clock

    def merge(self, published: PublishedClock) -> None:
        """The thread takes over what another one knew."""
        slot, time, clock = published
        mine = self.clock
        if self.is_shared:
            mine = self.clock = mine.copy()
            self.is_shared = False
        _raise(mine, clock)
        if slot != _MERGED and mine.get(slot, 0) < time:
            mine[slot] = time


class HappensBefore:
    """Follows one execution.

    >>> order = HappensBefore()
    >>> order.step(0, "start", 1)
    >>> before = order.epoch(1)           # of what thread 1 does now
    >>> order.step(1, "release", 7)
    >>> order.is_before(before, 0)
    False
    >>> order.step(0, "acquire", 7)
    >>> order.is_before(before, 0)
    True
    """

    def __init__(self) -> None:
        self.thread_clocks: dict[int, ThreadClock] = {}  # of the threads that are alive
        self._given: dict[int, PublishedClock] = {}  # by resource
        self._ended: dict[int, PublishedClock] = {}  # by thread, the oldest first
        self._past: Clock = {}  # what those knew that were forgotten
        self._slots = 0

    def step(self, thread: int, kind: str, target: int) -> None:
        """A thread did something; steps of other kinds than `ORDERING` change nothing."""
        thread_clock = self.thread_clocks.get(thread) or self.thread_clock(thread)
        if kind in TAKES:
            published = self._given.get(target)
            if published is not None and (
                published[0] == _MERGED or not thread_clock.knows(published[0], published[1])
            ):
                thread_clock.merge(published)
        elif kind in GIVES:
            self._give(thread_clock, target)
        elif kind == START:
            self._start(thread_clock, target)
        elif kind == END:
            self._ended[thread] = thread_clock.publish()
            del self.thread_clocks[thread]
        elif kind == JOIN:
            self._join(thread_clock, target)

    def forget(self, resources: Iterable[int]) -> None:
        """Nobody takes from these any more."""
        for resource in resources:
            self._given.pop(resource, None)

    def thread_clock(self, thread: int) -> ThreadClock:
        """The thread's own; one that nobody was seen to start knows nothing."""
        thread_clock = self.thread_clocks.get(thread)
        if thread_clock is None:
            thread_clock = self.thread_clocks[thread] = self._clock_of_unstarted()
        return thread_clock

    def epoch(self, thread: int) -> tuple[int, int]:
        """Of what the thread does now."""
        thread_clock = self.thread_clock(thread)
        return thread_clock.slot, thread_clock.time

    def is_before(self, epoch: tuple[int, int], thread: int) -> bool:
        """Did what was done in that epoch happen before what the thread does now?"""
        return self.thread_clock(thread).knows(*epoch)

    def _give(self, thread_clock: ThreadClock, resource: int) -> None:
        old = self._given.get(resource)
        if old is None or _knows_all(thread_clock, old):
            self._given[resource] = thread_clock.publish()
        else:
            self._given[resource] = (_MERGED, 0, _merged(old, thread_clock))
        thread_clock.time += 1

    def _start(self, thread_clock: ThreadClock, thread: int) -> None:
        started = self.thread_clocks.get(thread)
        if started is None:
            forgotten = self._forget_oldest()
            started = self._new_clock() if forgotten is None else ThreadClock(forgotten[0], forgotten[1] + 1, {})
            self.thread_clocks[thread] = started
        started.merge(thread_clock.publish())
        thread_clock.time += 1

    def _join(self, thread_clock: ThreadClock, thread: int) -> None:
        published = self._ended.get(thread)
        if published is None:  # forgotten: all know of it already, but for those from nowhere that came later
            if thread not in self.thread_clocks:
                thread_clock.merge((_MERGED, 0, self._past))
        elif not thread_clock.knows(published[0], published[1]):
            thread_clock.merge(published)

    def _clock_of_unstarted(self) -> ThreadClock:
        """For a thread that nobody was seen to start. It knows nothing, not even of the thread that had its slot
        before: so it gets an old slot only where there are too many."""
        if len(self._ended) > MAX_ENDED:
            forgotten = self._forget_oldest()
            if forgotten is not None:
                slot, time, clock = forgotten
                return ThreadClock(slot, time + 1, dict(clock))
        return self._new_clock()

    def _new_clock(self) -> ThreadClock:
        self._slots += 1
        return ThreadClock(self._slots - 1, 1, {})

    def _forget_oldest(self) -> PublishedClock | None:
        """The thread that ended first, if its slot can be used again: then everybody knows all that it knew."""
        if not self._ended:
            return None
        thread, published = next(iter(self._ended.items()))
        unaware = [
            thread_clock
            for thread_clock in self.thread_clocks.values()
            if not thread_clock.knows(published[0], published[1])
        ]
        if unaware and len(self._ended) <= MAX_ENDED:
            return None
        for thread_clock in unaware:
            thread_clock.merge(published)
        del self._ended[thread]
        _raise(self._past, published[2])
        self._past[published[0]] = published[1]
        return published


def _raise(clock: Clock, other: Clock) -> None:
    for slot, time in other.items():
        if clock.get(slot, 0) < time:
            clock[slot] = time


def _knows_all(thread_clock: ThreadClock, published: PublishedClock) -> bool:
    slot, time, clock = published
    if slot != _MERGED:
        return thread_clock.knows(slot, time)
    return all(thread_clock.knows(known, until) for known, until in clock.items())


def _merged(old: PublishedClock, thread_clock: ThreadClock) -> Clock:
    slot, time, clock = old
    if slot != _MERGED:  # else it belongs to the resource alone
        clock = {**clock, slot: time}
    _raise(clock, thread_clock.clock)
    clock[thread_clock.slot] = thread_clock.time
    return clock
