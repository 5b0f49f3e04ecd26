"""Sequential coverage: the call traces of a sequence that one thread executes (definitions 1 to 3 of the paper).

A call trace is what one outermost call did: its accesses, its lock operations, and the functions that it entered and
left, each with its site. Values are ignored, and so is the order of the outermost calls, because a thread-safe class
promises nothing about several calls together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias

from raddle.operation import CALLS, READ


class TraceEvent(NamedTuple):
    """One event of a call trace: the kind of operation and its site."""

    kind: str
    site: int


CallTrace: TypeAlias = tuple[TraceEvent, ...]
Coverage: TypeAlias = frozenset[CallTrace]


def coverage(traces: Iterable[CallTrace]) -> Coverage:
    """Return the sequential coverage of a sequence: the set of the non-empty traces of its calls (definition 2).

    >>> m1, m2 = (TraceEvent("write", 1),), (TraceEvent("write", 2),)
    >>> coverage([m1, m2, ()]) == coverage([m2, m1, m2])
    True
    """
    return frozenset(trace for trace in traces if trace)


def gain(covered: Coverage, earlier: Iterable[Coverage]) -> Coverage:
    """Return the coverage of a sequence that no earlier sequence has (definition 3).

    >>> m1, m2 = (TraceEvent("write", 1),), (TraceEvent("write", 2),)
    >>> gain(coverage([m1, m2]), [coverage([m1])]) == {m2}
    True
    """
    return covered.difference(*earlier)


def is_better(gained: int, length: int, than: tuple[int, int]) -> bool:
    """Return whether a sequence with this gain and length is better than another, given as (gain, length).

    A larger gain is better, then fewer outermost calls.

    >>> is_better(2, 9, (1, 1)), is_better(1, 2, (1, 3)), is_better(1, 3, (1, 3))
    (True, True, False)
    """
    return (gained, -length) > (than[0], -than[1])


def without_locking(trace: CallTrace, locked: Collection[int] = (), lock_reads: Collection[int] = ()) -> CallTrace:
    """Return a trace as the paper prints it: without the locking of synchronized methods.

    `locked` contains the sites of lock operations that belong to synchronized methods, and `lock_reads` the sites that
    read an attribute which holds a lock. In Java, neither appears in the traces that the paper prints.

    >>> without_locking((TraceEvent("acquire", 1), TraceEvent("write", 2), TraceEvent("release", 1)), {1})
    (TraceEvent(kind='write', site=2),)
    """
    return tuple(
        event
        for event in trace
        if not (event.site in locked and event.kind != READ and event.kind not in CALLS)
        and not (event.site in lock_reads and event.kind == READ)
    )
