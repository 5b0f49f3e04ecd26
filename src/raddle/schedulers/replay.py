"""Replay: follows the text of a schedule, and reports where and why an execution diverges from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raddle.schedule import Schedule, Segment
from raddle.schedulers.base import Alternative, Scheduler, Thread
from raddle.schedulers.sequential import Sequential
from raddle.wording import ordinal


class Replay(Scheduler):
    """Follows a schedule. `choose` is called at every operation, even if only one thread is enabled.

    `place_of` returns the place that a thread has reached, in the notation of schedules. If the execution does not
    match the schedule, `divergence` says why, and the execution continues without preemption until it ends.
    """

    def __init__(self, schedule: Schedule, place_of: Callable[[Thread], str]) -> None:
        self._segments = schedule.segments
        self._place_of = place_of
        self._at = 0  # index of the current segment
        self._count = 0  # number of times that the thread has reached the segment's place
        self._begun = False
        self._alternative = ""  # label of the alternative that the resumed thread's operation takes
        self._tail = Sequential()
        self.divergence: str | None = None
        self.divergence_step: int | None = None

    @property
    def finished(self) -> bool:
        """Whether all segments of the schedule have been followed."""
        return self._at >= len(self._segments)

    @property
    def is_fair(self) -> bool:
        return self.finished

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        begun, self._begun, self._alternative = self._begun, True, ""
        if self.divergence is not None or self.finished:
            return self._tail.choose(enabled, current)
        segment = self._segments[self._at]
        if current is not None and current.label == segment.thread:
            if current in enabled:
                if segment.place and is_place(self._place_of(current), segment.place):
                    self._count += 1
                    if self._count == segment.count:
                        return self._advance(enabled, current)
                return current if begun else self._resume(segment, enabled, current)
            if segment.place:
                return self._diverge(
                    f"{segment.thread} had to wait at {self._place_of(current)} before it reached {segment.place}",
                    enabled,
                    current,
                )
            return self._advance(enabled, current)
        if current is None:  # a thread ended
            if segment.place:
                return self._diverge(
                    f"{segment.thread} ended before it reached {_described(segment)}", enabled, current
                )
            return self._advance(enabled, current)
        if self._at == 0 and self._count == 0:
            return self._resume(segment, enabled, current)
        return self._diverge(f"{current.label} runs instead of {segment.thread}", enabled, current)

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        wanted = self._alternative
        return next((at for at, option in enumerate(options) if option.label == wanted), 0)

    def ended(self) -> None:
        """Record a divergence if the execution ended before the end of the schedule."""
        if self.divergence is None and self._at < len(self._segments):
            segment = self._segments[self._at]
            if segment.place:
                self._note(f"the execution ended before {segment.thread} reached {_described(segment)}")
            elif self._at + 1 < len(self._segments):
                self._note(f"the execution ended, but {self._segments[self._at + 1].thread} should have run next")

    def _advance(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        self._at += 1
        self._count = 0
        if self.finished:
            return self._tail.choose(enabled, current)
        return self._resume(self._segments[self._at], enabled, current)

    def _resume(self, segment: Segment, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        for thread in enabled:
            if thread.label == segment.thread:
                return self._take_alternative(segment, thread) or self._tail.choose(enabled, current)
        able = ", ".join(t.label for t in enabled)
        return self._diverge(f"{segment.thread} is not enabled here: only {able} can run", enabled, current)

    def _take_alternative(self, segment: Segment, thread: Thread) -> Thread | None:
        """Return the thread if its operation can take the segment's alternative; otherwise record a divergence."""
        self._alternative = segment.alternative
        if segment.alternative:
            options = [] if thread.alternatives is None else [option.label for option in thread.alternatives()]
            if segment.alternative not in options:
                able = f"it can only take ({') or ('.join(options)})" if options else "it has no alternatives"
                self._note(f"{segment.thread} cannot take ({segment.alternative}) here: {able}")
                return None
        return thread

    def _diverge(self, why: str, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        self._note(why)
        return self._tail.choose(enabled, current)

    def _note(self, why: str) -> None:
        self.divergence = why
        self.divergence_step = self._at + 1


def is_place(place: str, wanted: str) -> bool:
    """Return whether two texts name the same place, even if their file paths start at different folders.

    >>> is_place("tests/test_bank.py:6 write total", "test_bank.py:6 write total")
    True
    """
    return place == wanted or place.endswith("/" + wanted) or wanted.endswith("/" + place)


def _described(segment: Segment) -> str:
    return segment.place if segment.count == 1 else f"{segment.place} for the {ordinal(segment.count)} time"
