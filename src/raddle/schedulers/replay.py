"""Follows a schedule's text; says where and why it no longer fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raddle.schedule import Schedule, Segment
from raddle.schedulers.base import Scheduler, Thread
from raddle.schedulers.sequential import Sequential


class Replay(Scheduler):
    """Asked at every arrival of a thread anywhere, also where there is only one to choose.

    `place_of` tells how a schedule names the place where a thread stands. Where the text does not fit,
    `divergence` says why; the execution then goes on without preemption, so that it ends.
    """

    def __init__(self, schedule: Schedule, place_of: Callable[[Thread], str]) -> None:
        self._segments = schedule.segments
        self._place_of = place_of
        self._at = 0
        self._count = 0
        self._tail = Sequential()
        self.divergence: str | None = None
        self.divergence_step: int | None = None

    @property
    def finished(self) -> bool:
        """Was every segment of the text followed?"""
        return self._at >= len(self._segments)

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        if self.divergence is not None or self.finished:
            return self._tail.choose(enabled, current)
        segment = self._segments[self._at]
        if current is not None and current.label == segment.thread:
            if current in enabled:
                if segment.place and is_place(self._place_of(current), segment.place):
                    self._count += 1
                    if self._count == segment.count:
                        return self._advance(enabled, current)
                return current
            if segment.place:
                return self._diverge(
                    f"{segment.thread} had to wait at {self._place_of(current)} before it came to {segment.place}",
                    enabled,
                    current,
                )
            return self._advance(enabled, current)
        if current is None:  # a thread ended
            if segment.place:
                return self._diverge(f"{segment.thread} ended before it came to {_told(segment)}", enabled, current)
            return self._advance(enabled, current)
        if self._at == 0 and self._count == 0:
            return self._resume(segment, enabled, current)
        return self._diverge(f"{current.label} runs where {segment.thread} should", enabled, current)

    def over(self) -> None:
        """The execution ended; say so if the text went on."""
        if self.divergence is None and self._at < len(self._segments):
            segment = self._segments[self._at]
            if segment.place:
                self._note(f"the execution ended before {segment.thread} came to {_told(segment)}")
            elif self._at + 1 < len(self._segments):
                self._note(f"the execution ended before {self._segments[self._at + 1].thread} had its turn")

    def _advance(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        self._at += 1
        self._count = 0
        if self.finished:
            return self._tail.choose(enabled, current)
        return self._resume(self._segments[self._at], enabled, current)

    def _resume(self, segment: Segment, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        for thread in enabled:
            if thread.label == segment.thread:
                return thread
        able = ", ".join(t.label for t in enabled)
        return self._diverge(f"{segment.thread} cannot run here: only {able} can", enabled, current)

    def _diverge(self, why: str, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        self._note(why)
        return self._tail.choose(enabled, current)

    def _note(self, why: str) -> None:
        self.divergence = why
        self.divergence_step = self._at + 1


def is_place(place: str, wanted: str) -> bool:
    """Are these one place? A file may be named from another folder.

    >>> is_place("tests/test_bank.py:6 write total", "test_bank.py:6 write total")
    True
    """
    return place == wanted or place.endswith("/" + wanted) or wanted.endswith("/" + place)


def _told(segment: Segment) -> str:
    return segment.place if segment.count == 1 else f"{segment.place} for the {_ordinal(segment.count)} time"


def _ordinal(number: int) -> str:
    """2 as '2nd'.

    >>> _ordinal(2), _ordinal(11), _ordinal(23)
    ('2nd', '11th', '23rd')
    """
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
