"""Defines which of two failing executions is simpler, for shrinking.

An execution that is possible on this interpreter is always simpler than one that is not. Readers understand a failure
by following its preemptions. So the number of preemptions is compared next, then the number of threads, then the length
of the schedule. The remaining fields only make the order total, so that a failure found in two ways shrinks to the same
schedule.
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
    """The rank of an execution. Of two executions, the one with the smaller rank is simpler.

    >>> one = Rank(impossible_here=False, preemptions=1, threads=9, segments=9, arrivals=9, steps=99, text=())
    >>> one < one._replace(preemptions=2, threads=2, segments=3)
    True
    """

    impossible_here: bool  # True if this interpreter cannot preempt threads where the execution does
    preemptions: int  # number of preemptions
    threads: int  # number of threads started
    segments: int  # number of segments in the schedule
    arrivals: int  # sum of the arrival counts in the schedule: the first iteration of a loop ranks before the tenth
    steps: int  # number of steps of the execution
    text: tuple[tuple[int, str], ...]  # the schedule's text, split for natural ordering


def rank(seen: Recorded) -> Rank:
    """Return the rank of an execution that followed its schedule."""
    segments = seen.schedule.segments
    return Rank(
        impossible_here=not possible_here(seen),
        preemptions=len(seen.preemptions),
        threads=sum(event.kind == START for event in seen.trace),
        segments=len(segments),
        arrivals=sum(segment.count for segment in segments if segment.place),
        steps=len(seen.trace),
        text=_naturally(str(seen.schedule)),
    )


def stops(schedule: Schedule) -> int:
    """Return the number of preemptions in a schedule. An execution that follows it has at least as many preemptions.

    >>> stops(Schedule.parse("T0; T1 until a.py:3 write x; T2."))
    1
    """
    return sum(1 for segment in schedule.segments[:-1] if segment.place)


def _naturally(text: str) -> tuple[tuple[int, str], ...]:
    """Split a text so that numbers compare by value: T2 comes before T10.

    >>> _naturally("T2") < _naturally("T10")
    True
    """
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(text) if part)


def possible_here(seen: Recorded) -> bool:
    """Return whether this interpreter can switch threads at every place where the execution preempts a thread."""
    if not env.gil_enabled():
        return True
    return all(stop.with_gil for stop in seen.preemptions)
