"""The happens-before relation, computed step by step with vector clocks.

A step happens before another if the same thread took both in that order, or if synchronization orders them.
Synchronization orders a giving step (a release) before a later taking step (an acquire) on the same resource
(`raddle.step`), a thread start before the steps of the new thread, and the steps of a thread before the join that waits
for it. Every earlier giving step on the resource counts, not only the last one: queues, events and semaphores have an
internal lock that all of these steps acquire.

Clocks are kept as in FastTrack (Flanagan and Freund, 2009). A thread's time advances only at its giving steps. A pair
(slot, time) is an epoch. A resource stores one epoch and the corresponding clock. That clock is shared with the thread,
not copied, as long as each giver's clock includes the previous giver's epoch. Otherwise, for example if two threads put
items into a queue, the resource gets its own merged clock. A taking step costs one lookup if the thread already knows
the epoch.

Clocks have one entry per slot, not per thread. The slot of a thread that has ended is reused as soon as every live
thread is ordered after its end, so short-lived threads do not accumulate. Threads that are never joined keep their
slots until there are more than `MAX_ENDED` of them. Then every live thread is treated as ordered after the thread that
ended first. This can hide a race with a thread that ended long ago, but it never causes a false report.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from raddle.operation import END, GIVES, JOIN, START, TAKES

MAX_ENDED = 64  # maximum number of threads that have ended but whose slots cannot be reused yet

ORDERING = GIVES | TAKES | {START, END, JOIN}  # the kinds of steps that change clocks

# Maps each slot to a time: steps in that slot up to this time happened before the step that the clock belongs to.
Clock: TypeAlias = dict[int, int]
PublishedClock: TypeAlias = tuple[int, int, Clock]  # slot and time of the giver, and its clock

_MERGED = -1  # used in place of a slot if the clock is merged from several givers


class ThreadClock:
    """The vector clock of one thread."""

    __slots__ = ("clock", "is_shared", "slot", "time")

    def __init__(self, slot: int, time: int, clock: Clock) -> None:
        self.slot = slot
        self.time = time
        self.clock = clock  # has no entry for the thread's own slot
        self.is_shared = False  # True if the clock was published and must be copied before a change

    def knows(self, slot: int, time: int) -> bool:
        """Return whether the epoch happened before the current step of this thread."""
        return slot == self.slot or self.clock.get(slot, 0) >= time

    def publish(self) -> PublishedClock:
        """Return the current epoch and clock as a snapshot that never changes."""
        self.is_shared = True
        return self.slot, self.time, self.clock

    def merge(self, published: PublishedClock) -> None:
        """Merge a published clock into the clock of this thread."""
        slot, time, clock = published
        mine = self.clock
        if self.is_shared:
            mine = self.clock = mine.copy()
            self.is_shared = False
        _raise(mine, clock)
        if slot != _MERGED and mine.get(slot, 0) < time:
            mine[slot] = time


class HappensBefore:
    """Tracks the happens-before relation of one execution.

    >>> order = HappensBefore()
    >>> order.step(0, "start", 1)
    >>> before = order.epoch(1)           # of the next step of thread 1
    >>> order.step(1, "release", 7)
    >>> order.is_before(before, 0)
    False
    >>> order.step(0, "acquire", 7)
    >>> order.is_before(before, 0)
    True
    """

    def __init__(self) -> None:
        self.thread_clocks: dict[int, ThreadClock] = {}  # clocks of threads that have not ended
        self._given: dict[int, PublishedClock] = {}  # maps each resource to the clock that giving steps published
        self._ended: dict[int, PublishedClock] = {}  # maps each thread that has ended, oldest first, to its final clock
        self._past: Clock = {}  # the merged clocks of former threads whose slots have been reused
        self._slots = 0

    def step(self, thread: int, kind: str, target: int) -> None:
        """Update the clocks for one step; steps of kinds outside `ORDERING` have no effect."""
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
        """Drop resources that no later step uses."""
        for resource in resources:
            self._given.pop(resource, None)

    def thread_clock(self, thread: int) -> ThreadClock:
        """Return the clock of a thread; the clock is empty if the thread's start was not recorded."""
        thread_clock = self.thread_clocks.get(thread)
        if thread_clock is None:
            thread_clock = self.thread_clocks[thread] = self._clock_of_unstarted()
        return thread_clock

    def epoch(self, thread: int) -> tuple[int, int]:
        """Return the current epoch of the thread."""
        thread_clock = self.thread_clock(thread)
        return thread_clock.slot, thread_clock.time

    def is_before(self, epoch: tuple[int, int], thread: int) -> bool:
        """Return whether the epoch happened before the current step of the thread."""
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
        if published is None:
            # The joined thread's slot has been reused. A slot is reused only once every live thread is ordered after
            # its former owner. The only possible exception is a thread that appeared later, without a recorded start.
            if thread not in self.thread_clocks:
                thread_clock.merge((_MERGED, 0, self._past))
        elif not thread_clock.knows(published[0], published[1]):
            thread_clock.merge(published)

    def _clock_of_unstarted(self) -> ThreadClock:
        """Return a clock for a thread whose start was not recorded.

        Such a thread is not ordered after any other thread. It reuses a slot only if too many threads have ended,
        because reuse orders the thread after the slot's former owner.
        """
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
        """Drop the thread that ended first and return its final clock; return None if its slot cannot be reused yet.

        From then on, every live thread is treated as ordered after the end of the dropped thread.
        """
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
    if slot != _MERGED:  # a merged clock is not shared, so it can be changed in place
        clock = {**clock, slot: time}
    _raise(clock, thread_clock.clock)
    clock[thread_clock.slot] = thread_clock.time
    return clock
