"""Limits how often a call trace shows the rounds of a loop.

By the paper's definition, a loop over n elements has another call trace for each n. A class whose objects can grow then
has infinitely many call traces, and a depth-first search spends its time on making objects grow. With a limit, further
rounds are treated like the last one shown. The limit is raised when no new call traces are found.
"""

from __future__ import annotations

from collections.abc import Sequence

from raddle.generation.autocontest.coverage import CallTrace, TraceEvent

_PERIODS = 8  # number of earlier occurrences of an event that may be the end of the previous round


def limited_rounds(trace: Sequence[TraceEvent], rounds: int) -> CallTrace:
    """Return a trace in which no part is repeated directly more than `rounds` times.

    >>> a, b, c = TraceEvent("read", 1), TraceEvent("write", 2), TraceEvent("read", 3)
    >>> limited_rounds([a, b, b, a, b, a, b, c], 1) == (a, b, c)
    True
    >>> limited_rounds([a, b, a, b, a, b, c], 2) == (a, b, a, b, c)
    True
    """
    kept: list[TraceEvent] = []
    positions: dict[TraceEvent, list[int]] = {}
    for event in trace:
        earlier = positions.setdefault(event, [])
        earlier.append(len(kept))
        kept.append(event)
        for position in earlier[-2 : -2 - _PERIODS : -1]:
            period = len(kept) - 1 - position
            if _repeats(kept, period, rounds):
                for dropped in kept[-period:]:
                    positions[dropped].pop()
                del kept[-period:]
                break
    return tuple(kept)


def _repeats(events: list[TraceEvent], period: int, rounds: int) -> bool:
    """Return whether the last `rounds + 1` parts of this length are equal."""
    if len(events) < (rounds + 1) * period:
        return False
    last = events[-period:]
    end = len(events) - period
    return all(events[end - number * period - period : end - number * period] == last for number in range(rounds))
