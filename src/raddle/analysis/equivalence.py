"""Equivalence of traces: whether two traces differ only in the order of steps that commute.

Two executions are equivalent if each thread took the same steps in both, and the steps on each variable and each
resource happened in the same order. The order of adjacent reads does not matter (Mazurkiewicz). A giving step, such as
releasing a lock or setting an event, is treated like a read, because its order matters only relative to a blocking
acquire.
"""

from __future__ import annotations

import re
from collections import defaultdict

from raddle.event import Event
from raddle.operation import COMMUTING, END
from raddle.trace import Trace

_NUMBER = re.compile(r" \d+$")

Step = tuple[str, int]  # the thread, and how many steps it took before this one


def first_difference(
    one: Trace, other: Trace, *, died: str = "", passed: bool = False
) -> tuple[Event | None, Event | None] | None:
    """Return the first pair of steps in which two traces differ, or None if the traces are equivalent.

    `died` is the thread whose death ended both executions, if any. The other threads may then have progressed further
    in one execution than in the other, provided that no thread observed the difference. If both executions `passed`,
    the same holds for daemon threads that were still running at the end.

    >>> def event(thread, kind): return Event(thread, kind, "C.n", 1, "c.py", 3)
    >>> reads = [event("T1", "read"), event("T2", "read")]
    >>> first_difference(Trace(tuple(reads)), Trace(tuple(reversed(reads)))) is None
    True
    >>> mixed = [event("T1", "write"), event("T2", "read")]
    >>> first_difference(Trace(tuple(mixed)), Trace(tuple(reversed(mixed)))) is None
    False
    """
    if _is_identical(one, other):
        return None
    if died or passed:
        lengths = [{thread: len(events) for thread, events in _by_thread(t).items()} for t in (one, other)]
        common = {t: min(n.get(t, 0) for n in lengths) for t in lengths[0].keys() | lengths[1].keys() if t != died}
        if passed:
            for ended in _ended(one) & _ended(other):
                del common[ended]
        one, observer = _truncate(one, common)
        other, other_observer = _truncate(other, common)
        if observer or other_observer:
            return observer, other_observer
    mine, theirs = _by_thread(one), _by_thread(other)
    same: dict[int, int] = {}  # maps object numbers in one trace to those in the other
    for thread in sorted(mine.keys() | theirs.keys()):
        left, right = mine.get(thread, []), theirs.get(thread, [])
        for index in range(max(len(left), len(right))):
            a = left[index] if index < len(left) else None
            b = right[index] if index < len(right) else None
            if (
                a is None
                or b is None
                or _signature(a) != _signature(b)
                or same.setdefault(a.object, b.object) != b.object
            ):
                return a, b
    orders = _orders(other)
    for (number, name), order in _orders(one).items():
        if orders.get((same[number], name)) != order:
            return _first_of(one, order), _first_of(other, orders.get((same[number], name), []))
    return None


def _is_identical(one: Trace, other: Trace) -> bool:
    """Return whether both traces have the same steps in the same order.

    This check is cheap, and nearly all compared traces are identical.
    """
    same: dict[int, int] = {}
    return len(one) == len(other) and all(
        a.thread == b.thread
        and a.line == b.line
        and a.kind == b.kind
        and (a.variable == b.variable or _signature(a) == _signature(b))
        and a.file == b.file
        and same.setdefault(a.object, b.object) == b.object
        for a, b in zip(one, other, strict=True)
    )


def _ended(trace: Trace) -> set[str]:
    return {event.thread for event in trace if event.kind == END}


def _truncate(trace: Trace, limits: dict[str, int]) -> tuple[Trace, Event | None]:
    """Keep at most `limits[thread]` steps of each thread; also return the first step that observed a dropped write."""
    kept: list[Event] = []
    done: dict[str, int] = defaultdict(int)
    written: dict[tuple[int, str], str] = {}
    for event in trace:
        done[event.thread] += 1
        if done[event.thread] <= limits.get(event.thread, done[event.thread]):
            if written.get(event.datum, event.thread) != event.thread:
                return Trace(tuple(kept)), event
            kept.append(event)
        elif event.object and event.kind not in COMMUTING:
            written[event.datum] = event.thread
    return Trace(tuple(kept)), None


def _signature(event: Event) -> tuple[str, str, str, int]:
    return event.kind, _NUMBER.sub("", event.variable), event.file, event.line


def _by_thread(trace: Trace) -> dict[str, list[Event]]:
    threads: dict[str, list[Event]] = defaultdict(list)
    for event in trace:
        threads[event.thread].append(event)
    return threads


def _orders(trace: Trace) -> dict[tuple[int, str], list[list[Step]]]:
    """Return the steps on each variable in order; adjacent steps that commute form one group."""
    orders: dict[tuple[int, str], list[list[Step]]] = defaultdict(list)
    commuting: dict[tuple[int, str], bool] = {}
    done: dict[str, int] = defaultdict(int)
    for event in trace:
        step = (event.thread, done[event.thread])
        done[event.thread] += 1
        if not event.object:
            continue
        number, name = event.datum
        key = (number, _NUMBER.sub("", name))
        groups = orders[key]
        commutes = event.kind in COMMUTING
        if commutes and commuting.get(key) and groups:
            groups[-1].append(step)
        else:
            groups.append([step])
        commuting[key] = commutes
    return {key: [sorted(group) for group in groups] for key, groups in orders.items()}


def _first_of(trace: Trace, groups: list[list[Step]]) -> Event | None:
    threads = _by_thread(trace)
    for group in groups:
        thread, index = group[0]
        return threads[thread][index]
    return None
