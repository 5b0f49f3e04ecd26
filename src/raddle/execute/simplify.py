"""Makes a failing schedule simpler: fewer segments, then fewer stops, as long as the failure stays the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raddle.execute.session import Recorded
from raddle.schedule import Schedule, Segment

MOST_TRIES = 200


def simplify(
    seen: Recorded, run: Callable[[Schedule], Recorded], fits: Callable[[Recorded], bool]
) -> tuple[Recorded, Schedule]:
    """The simplest schedule met on the way down that still fits, and its execution."""
    best, schedule, tries = seen, seen.schedule, 0
    improved = True
    while improved:
        improved = False
        for candidate in _simpler(schedule):
            tries += 1
            if tries > MOST_TRIES:
                return best, schedule
            tried = run(candidate)
            if tried.divergence is None and fits(tried):
                best, schedule, improved = tried, candidate, True
                break
    return best, schedule


def _simpler(schedule: Schedule) -> Iterator[Schedule]:
    """Schedules one change away, the most promising first.

    >>> for one in _simpler(Schedule.parse("T0; T1 until a.py:3 write x; T2.")): print(one)
    T0; T1 until a.py:3 write x.
    T0; T2.
    T0; T1; T2.
    """
    segments = schedule.segments
    for index in range(len(segments) - 1, 0, -1):
        yield Schedule(_merged((*segments[:index], *segments[index + 1 :])))
    for index, segment in enumerate(segments):
        if segment.place:
            yield Schedule(_merged((*segments[:index], Segment(segment.thread), *segments[index + 1 :])))


def _merged(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """Two segments of one thread in a row are one: the first one's stop is nobody's gain."""
    kept: list[Segment] = []
    for segment in segments:
        if kept and kept[-1].thread == segment.thread:
            kept.pop()
        kept.append(segment)
    return tuple(kept)
