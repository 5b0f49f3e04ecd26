"""Shrinking: finds a simpler schedule that reproduces the same failure.

As in Hypothesis, shrinking is defined by a value, a predicate and an order. The value is a schedule text. The predicate
is true if the schedule's execution fails in the same way. The order is defined in `raddle.guide.simpler`. A schedule is
kept only if it has been replayed and its execution is simpler. Nothing is random, so the same failure always shrinks to
the same schedule.

The passes simplify the failing schedule step by step. They drop segments (many at a time, as long as that works), let a
stopped thread continue, and merge its segments (Jalbert and Sen, FSE 2010). The passes end when no single change helps,
but the result may still have more preemptions than necessary. So a search also tries schedules with fewer preemptions,
starting with none (see `raddle.guide.deviations`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from raddle.event import Event
from raddle.execute.session import Recorded, Session
from raddle.guide.deviations import Deviations
from raddle.guide.simpler import rank, stops
from raddle.operation import ACCESSES, START
from raddle.schedule import Schedule, Segment

MAX_TRIES = 300  # maximum number of executions per failure
MAX_STEPS = 100_000  # maximum number of steps per failure; prevents many repetitions of an endless execution
MAX_SECONDS = 30.0  # time limit per failure, in case steps are slow; the only limit that depends on the machine
SHARE = 3  # 1/SHARE of the remaining executions is reserved for later passes

_monotonic = time.monotonic


def shrink(session: Session, seen: Recorded, fits: Callable[[Recorded], bool], *, tries: int = MAX_TRIES) -> Recorded:
    """Return the simplest execution found for which `fits` is true, or `seen` if none is simpler.

    `seen` must have followed its schedule without divergence. The same is true of the returned execution.
    """
    return Shrinker(session, seen, fits, tries=tries).shrink()


class Shrinker:
    """Shrinks one failure."""

    def __init__(self, session: Session, seen: Recorded, fits: Callable[[Recorded], bool], *, tries: int) -> None:
        self._session = session
        self._fits = fits
        self.best = seen
        self._rank = rank(seen)
        self._tried = {seen.schedule}
        self._left = tries
        self._steps_left = MAX_STEPS
        self._deadline = _monotonic() + MAX_SECONDS
        self._search = Deviations(self._place_of, session.without_preemption)

    def shrink(self) -> Recorded:
        """Alternate between the passes and the search until neither finds a simpler schedule."""
        self._descend(reserve=self._left // SHARE)
        while self._search_simpler():
            self._descend(reserve=0)
        self._descend(reserve=0)
        return self.best

    # -- trying -------------------------------------------------------------------------------------

    def _spent(self, reserve: int = 0) -> bool:
        return (
            self._left <= reserve
            or self._steps_left <= 0
            or self._session.interrupted
            or _monotonic() >= self._deadline
        )

    def _run(self, schedule: Schedule) -> Recorded:
        """Replay a schedule, and keep it if its execution is simpler."""
        self._tried.add(schedule)
        self._left -= 1
        seen = self._session.replay(schedule)
        self._steps_left -= len(seen.trace)
        if seen.divergence is None and self._fits(seen):
            found = rank(seen)
            if found < self._rank:
                self.best, self._rank = seen, found
        return seen

    def _is_simpler(self, schedule: Schedule, reserve: int) -> bool:
        """Try a schedule, unless it has been tried or cannot be simpler; return whether it is the new best schedule."""
        if schedule in self._tried or self._spent(reserve):
            return False
        if not self._rank.impossible_here and stops(schedule) > self._rank.preemptions:
            return False
        self._run(schedule)
        return self.best.schedule == schedule

    # -- passes -------------------------------------------------------------------------------------

    def _descend(self, *, reserve: int) -> None:
        improved = True
        while improved and not self._spent(reserve):
            before = self._rank
            self._drop(reserve)
            for simpler in (run_on, together, earlier, renamed):
                self._take_any(simpler, reserve)
            improved = self._rank < before

    def _drop(self, reserve: int) -> None:
        """Drop segments, starting from the end: many at a time at first, then fewer."""
        size = max(len(self.best.schedule.segments) // 2, 1)
        while size:
            end = len(self.best.schedule.segments)
            while end > 1:
                start = max(end - size, 1)  # the first segment stays, since T0 has to start
                self._is_simpler(self._without(start, end), reserve)
                end = min(start, len(self.best.schedule.segments))
            size //= 2

    def _take_any(self, simpler: Callable[[Shrinker], Iterator[Schedule]], reserve: int) -> None:
        """Try the schedules that `simpler` yields. After each improvement, continue at the same position."""
        done = 0
        while True:
            for number, schedule in enumerate(simpler(self)):
                if number >= done and self._is_simpler(schedule, reserve):
                    done = number
                    break
            else:
                return

    def _without(self, start: int, end: int) -> Schedule:
        segments = self.best.schedule.segments
        waiting = {segment.thread: index for index, segment in enumerate(segments) if start <= index < end}
        kept = list(enumerate(segments[:start]))
        for index, segment in enumerate(segments[end:], end):
            dropped = waiting.pop(segment.thread, None)  # the dropped segment's steps move to this segment
            kept.append((index, segment if dropped is None else self.joined(dropped, segment)))
        return self.merged(kept)

    def merged(self, numbered: Iterable[tuple[int, Segment]]) -> Schedule:
        """Build a schedule from segments with their original indices, merging segments that have become adjacent.

        Segments of one thread that were adjacent from the start stay separate, because virtual time advanced between
        them.
        """
        kept: list[tuple[int, Segment]] = []
        for index, segment in numbered:
            if kept and kept[-1][1].thread == segment.thread and kept[-1][0] + 1 != index:
                segment = self.joined(kept.pop()[0], segment)
            kept.append((index, segment))
        return Schedule(tuple(segment for _, segment in kept))

    def joined(self, index: int, later: Segment) -> Segment:
        """Return the segment at `index`, merged with a later segment of the same thread."""
        first = self.best.schedule.segments[index]
        if not later.place or not first.place:
            return later
        stop = sum(1 for segment in self.best.schedule.segments[:index] if segment.place)
        if stop >= len(self.best.preemptions):
            return later
        count = self._arrivals(self.best.preemptions[stop].before, first.thread, later.place)
        return replace(later, count=later.count + count + (first.place == later.place))

    def _arrivals(self, end: int, thread: str, place: str) -> int:
        """Return how many times a thread reached a place between its last resumption and event `end`."""
        events = self.best.trace.events
        first = end
        while first and events[first - 1].thread == thread:
            first -= 1
        # A resumed thread had already reached its next step when it was stopped.
        begins = not any(event.thread == thread for event in events[:first])
        return sum(1 for event in events[first + (not begins) : end] if self._place_of(event) == place)

    def begins(self) -> dict[str, str]:
        """Return the place of each thread's first step ("" if it took none), in the order in which threads started."""
        first = {event.variable: "" for event in self.best.trace if event.kind == START}
        for event in self.best.trace:
            if first.get(event.thread) == "":
                first[event.thread] = self._place_of(event)
        return first

    def _place_of(self, event: Event) -> str:
        """Return the place of an event in the form used in schedules."""
        if event.kind in ACCESSES and event.site in self._session.table:
            return self._session.table[event.site].place
        return f"{event.file}:{event.line} {event.kind}"

    # -- search -------------------------------------------------------------------------------------

    def _search_simpler(self) -> bool:
        """Search for a schedule with fewer preemptions or fewer segments. Return whether one was found."""
        search, before, kept = self._search, self._rank, self._left // SHARE
        for level in range(before.preemptions + 1):
            # `kept` executions are reserved for later passes. Each level may use half of the other remaining
            # executions, and the last level may use all of them.
            reserve = kept if level == before.preemptions else (self._left + kept) // 2
            while search.has(level) and not self._spent(reserve):
                deviation = search.take(level)
                if not self._may_be_simpler(deviation.schedule):
                    continue
                seen = self._run(deviation.schedule)
                if self._rank < before:
                    return True
                if seen.divergence is None:
                    search.learn(deviation, seen, self._may_be_simpler)
        return False

    def _may_be_simpler(self, schedule: Schedule) -> bool:
        """Return whether the schedule, or any schedule that extends it, may be simpler than the best one."""
        preemptions = stops(schedule)
        return preemptions < self._rank.preemptions or (
            preemptions == self._rank.preemptions and len(schedule.segments) < self._rank.segments
        )


# -- simplifications -----------------------------------------------------------------------------------


def run_on(shrinker: Shrinker) -> Iterator[Schedule]:
    """Let a stopped thread run as long as it can, once with its later segments dropped and once with them kept."""
    segments = list(enumerate(shrinker.best.schedule.segments))
    for index, segment in segments:
        if segment.place:
            head, tail = [*segments[:index], (index, Segment(segment.thread))], segments[index + 1 :]
            yield shrinker.merged([*head, *(later for later in tail if later[1].thread != segment.thread)])
            yield shrinker.merged([*head, *tail])


def together(shrinker: Shrinker) -> Iterator[Schedule]:
    """Let a stopped thread continue immediately with its next segment."""
    segments = list(enumerate(shrinker.best.schedule.segments))
    for index, segment in segments:
        later = next((n for n, s in segments[index + 1 :] if s.thread == segment.thread), None)
        if segment.place and later is not None:
            joined = (index, shrinker.joined(index, segments[later][1]))
            yield shrinker.merged([*segments[:index], joined, *segments[index + 1 : later], *segments[later + 1 :]])


def earlier(shrinker: Shrinker) -> Iterator[Schedule]:
    """Stop a thread on an earlier visit to the same place."""
    segments = shrinker.best.schedule.segments
    for index, segment in enumerate(segments):
        for count in sorted({1, segment.count // 2, segment.count - 1}):
            if 0 < count < segment.count:
                yield Schedule((*segments[:index], replace(segment, count=count), *segments[index + 1 :]))


def renamed(shrinker: Shrinker) -> Iterator[Schedule]:
    """Swap two threads, so that the thread that was started first also comes first in the schedule.

    Any two threads that the schedule names may be swapped. A thread that the schedule does not name may be swapped only
    if it took no step or began with the same code as the other thread.
    """
    segments = shrinker.best.schedule.segments
    named = {segment.thread for segment in segments}
    begins = shrinker.begins()
    threads = list(begins)
    for index, other in enumerate(threads):
        if other not in named:
            continue
        like_it = [one for one in threads[:index] if one not in named and begins[one] in ("", begins[other])]
        for one in [*like_it[:1], *(one for one in threads[:index] if one in named)]:
            swapped = {one: other, other: one}
            yield Schedule(tuple(replace(s, thread=swapped.get(s.thread, s.thread)) for s in segments))
