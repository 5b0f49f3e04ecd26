"""A schedule: which threads run, and where each one stops, as a short text that users can read and paste.

    T0; T1 until counter.py:6 write value; T2.

means: T0 runs until it blocks or ends, T1 runs until it reaches the named place, and T2 runs until it blocks or ends.
After that, the running thread continues as long as it can, and then the first enabled thread runs. A place may have a
count: `#2` means that the thread stops at its second arrival after it was resumed. The final period shows that the text
is complete.

    T1 until mail.py:9 recv; T1 (from T3); T2.

means: T1 stops before a receive that has several alternatives, and then takes the alternative `from T3`. If the text
names no alternative, an operation takes its first possible alternative.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raddle.errors import ScheduleError
from raddle.labels import LETTER
from raddle.place import Place

_LINE = r"(?P<file>[^;]+?):(?P<line>\d+) "
_SEGMENT = re.compile(
    rf"(?P<thread>{LETTER}\d+(?:\.\d+)*)(?: \((?P<alternative>[^();]+)\))?"
    rf"(?: until {_LINE}(?P<kind>[a-z-]+)(?: (?P<name>[^\s#;]+))?(?: #(?P<count>\d+))?)?"
)


def parse_place(place: str) -> Place | None:
    """Return the file and line of a place in a schedule; None if the text is not such a place.

    >>> parse_place("log.py:9 write th"), parse_place("nowhere")
    (Place(file='log.py', line=9), None)
    """
    match = re.match(_LINE, place)
    return Place(match["file"], int(match["line"])) if match else None


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a schedule in which one thread runs.

    >>> str(Segment("T1", "mail.py:9 recv", count=2, alternative="from T3"))
    'T1 (from T3) until mail.py:9 recv #2'
    """

    thread: str
    place: str = ""  # where the thread stops; "" if it runs until it blocks or ends
    count: int = 1  # the thread stops at its `count`-th arrival at `place`
    alternative: str = ""  # the alternative that the thread's first operation takes; "" for the first possible one

    def __str__(self) -> str:
        text = f"{self.thread} ({self.alternative})" if self.alternative else self.thread
        if self.place:
            text += f" until {self.place}" + (f" #{self.count}" if self.count > 1 else "")
        return text


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule: the segments of an execution, in order. `str` returns its text.

    >>> schedule = Schedule.parse("T0; T1 until counter.py:6 write value; T2.")
    >>> schedule.segments[1].place
    'counter.py:6 write value'
    >>> str(schedule)
    'T0; T1 until counter.py:6 write value; T2.'
    >>> Schedule.parse("T0; T1 (from T3) until mail.py:12 recv.").segments[1].alternative
    'from T3'
    >>> Schedule.parse("T0; T1 until counter.py:6 wri")
    Traceback (most recent call last):
    ...
    raddle.errors.ScheduleError: the schedule is cut short: it must end with a period
    """

    segments: tuple[Segment, ...]

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Parse the text of a schedule; raise `ScheduleError` if the text is invalid."""
        text = " ".join(text.split())
        if not text:
            raise ScheduleError("schedule-empty", "the schedule is empty; paste the text that raddle printed")
        if not text.endswith("."):
            raise ScheduleError("schedule-cut", "the schedule is cut short: it must end with a period")
        segments = []
        for number, part in enumerate(text[:-1].split(";"), 1):
            match = _SEGMENT.fullmatch(part.strip())
            if match is None:
                raise ScheduleError(
                    "schedule-malformed",
                    f"segment {number} of the schedule is not of the form 'T1' or "
                    f"'T1 until file.py:12 write name': {part.strip()!r}",
                )
            place = ""
            if match["file"]:
                place = f"{match['file']}:{match['line']} {match['kind']}"
                if match["name"]:
                    place += f" {match['name']}"
            count = int(match["count"] or 1)
            if count < 1:
                raise ScheduleError(
                    "schedule-malformed", f"segment {number} of the schedule has the count #0; counts start at #1"
                )
            segments.append(Segment(match["thread"], place, count, match["alternative"] or ""))
        return cls(tuple(segments))

    def __str__(self) -> str:
        return "; ".join(map(str, self.segments)) + "."
