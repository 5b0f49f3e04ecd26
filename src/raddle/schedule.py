"""A schedule: who runs, until where; a short text that people can read and paste.

    T0; T1 until counter.py:6 write value; T2.

reads: T0 runs until it cannot go on, T1 until it arrives at the place named, T2 until it cannot go on; from
there on whoever runs goes on as long as it can, then the first thread that can. A place may carry a
count, `#2`: the second arrival after the thread was resumed. The full stop shows that nothing is missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from raddle.errors import ScheduleError
from raddle.place import Place

_LINE = r"(?P<file>[^;]+?):(?P<line>\d+) "
_SEGMENT = re.compile(
    r"(?P<thread>T\d+(?:\.\d+)*)"
    rf"(?: until {_LINE}(?P<kind>[a-z-]+)(?: (?P<name>[^\s#;]+))?(?: #(?P<count>\d+))?)?"
)


def line_in(place: str) -> Place | None:
    """Return the line that a schedule's place names; None if it is no such place.

    >>> line_in("log.py:9 write th"), line_in("nowhere")
    (Place(file='log.py', line=9), None)
    """
    match = re.match(_LINE, place)
    return Place(match["file"], int(match["line"])) if match else None


@dataclass(frozen=True, slots=True)
class Segment:
    """One thread running for a while."""

    thread: str
    place: str = ""  # where it stops, "" where it cannot go on
    count: int = 1

    def __str__(self) -> str:
        if not self.place:
            return self.thread
        return f"{self.thread} until {self.place}" + (f" #{self.count}" if self.count > 1 else "")


@dataclass(frozen=True, slots=True)
class Schedule:
    """Segments, in order.

    >>> schedule = Schedule.parse("T0; T1 until counter.py:6 write value; T2.")
    >>> schedule.segments[1].place
    'counter.py:6 write value'
    >>> str(schedule)
    'T0; T1 until counter.py:6 write value; T2.'
    >>> Schedule.parse("T0; T1 until counter.py:6 wri")
    Traceback (most recent call last):
    ...
    raddle.errors.ScheduleError: the schedule is cut short: it must end with a full stop
    """

    segments: tuple[Segment, ...]

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Read a schedule; whatever is not exactly one is refused, with the reason."""
        text = " ".join(text.split())
        if not text:
            raise ScheduleError("schedule-empty", "the schedule is empty; paste the text that raddle printed")
        if not text.endswith("."):
            raise ScheduleError("schedule-cut", "the schedule is cut short: it must end with a full stop")
        segments = []
        for number, part in enumerate(text[:-1].split(";"), 1):
            match = _SEGMENT.fullmatch(part.strip())
            if match is None:
                raise ScheduleError(
                    "schedule-malformed",
                    f"step {number} of the schedule is not of the form 'T1' or "
                    f"'T1 until file.py:12 write name': {part.strip()!r}",
                )
            place = ""
            if match["file"]:
                place = f"{match['file']}:{match['line']} {match['kind']}"
                if match["name"]:
                    place += f" {match['name']}"
            count = int(match["count"] or 1)
            if count < 1:
                raise ScheduleError("schedule-malformed", f"step {number} of the schedule counts from #1, not #0")
            segments.append(Segment(match["thread"], place, count))
        return cls(tuple(segments))

    def __str__(self) -> str:
        return "; ".join(map(str, self.segments)) + "."
