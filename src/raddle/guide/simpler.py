"""Which of two failing executions is the simpler one: the one order that shrinking goes down.

A reader follows a failure by its preemptions, so few of them come before all else; then few threads, then
a short text. What follows after these only makes the order total: the same failure, found in two ways, is to
end as the same text. Before everything: what this interpreter can do is simpler than what only others can.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from raddle import env
from raddle.execute.session import Recorded
from raddle.operation import START
from raddle.schedule import Schedule

_DIGITS = re.compile(r"(\d+)")


class Rank(NamedTuple):
    """Where an execution stands in the order; the smaller one is the simpler one.

    >>> one = Rank(elsewhere=False, preemptions=1, threads=9, segments=9, arrivals=9, steps=99, text=())
    >>> one < one._replace(preemptions=2, threads=2, segments=3)
    True
    """

    elsewhere: bool  # not on this interpreter
    preemptions: int
    threads: int  # started
    segments: int  # of the text: the prefix after which nobody has to be told to run
    arrivals: int  # that the text counts: the first round of a loop rather than the tenth
    steps: int  # of the execution
    text: tuple[tuple[int, str], ...]


def rank(seen: Recorded) -> Rank:
    """The place in the order of an execution that followed its schedule."""
    segments = seen.schedule.segments
    return Rank(
        elsewhere=not possible_here(seen),
        preemptions=len(seen.preemptions),
        threads=sum(event.kind == START for event in seen.trace),
        segments=len(segments),
        arrivals=sum(segment.count for segment in segments if segment.place),
        steps=len(seen.trace),
        text=_naturally(str(seen.schedule)),
    )


def stops(schedule: Schedule) -> int:
    """How many preemptions a text asks for: its execution has at least as many, if it can be followed.

    >>> stops(Schedule.parse("T0; T1 until a.py:3 write x; T2."))
    1
    """
    return sum(1 for segment in schedule.segments[:-1] if segment.place)


def _naturally(text: str) -> tuple[tuple[int, str], ...]:
    """For comparisons: numbers by their size, so that T2 comes before T10.

    >>> _naturally("T2") < _naturally("T10")
    True
    """
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(text) if part)


def possible_here(seen: Recorded) -> bool:
    """Return whether this interpreter can switch threads at all places where one was preempted."""
    if not env.gil_enabled():
        return True
    return all(stop.with_gil for stop in seen.preemptions)
