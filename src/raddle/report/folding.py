"""Shortens a story: keeps the rows that explain the failure, and summarizes the rows between them.

The number of lines depends on the preemptions, not on the length of the execution. With up to two preemptions, a short
story has at most `LINES` lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from raddle.finding import Finding
from raddle.report.cause import importance
from raddle.report.rows import Row
from raddle.wording import count

LINES = 20  # maximum number of lines of a short story; a failure with many preemptions can need more
_NUMBERED = re.compile(r"(?P<head>.*\D)(?P<number>\d+)\Z")
_MAX_NAMES = 2  # number of threads or functions listed by name; the others are only counted


def fold(rows: Sequence[Row], finding: Finding) -> list[Row | str]:
    """Return the rows to show, with a summary in place of each omitted stretch. A short story is not changed."""
    if len(rows) <= LINES:
        return list(rows)
    ranked = importance(rows, finding)
    kept = set(ranked.needed)
    for number in ranked.helpful:
        if _lines(rows, kept | {number}) <= LINES:
            kept.add(number)
    return _folded(rows, kept)


def _folded(rows: Sequence[Row], kept: set[int]) -> list[Row | str]:
    """Replace each gap between kept rows with one summary.

    If there is room, summarize each series of consecutive rows by one thread separately.
    """
    gaps = _gaps(rows, kept)
    left = LINES - len(kept) - len(gaps)
    lines: list[Row | str] = []
    begin = 0
    for start, end in gaps:
        lines += rows[begin:start]
        turns = _turns(rows[start:end])
        if len(turns) - 1 > left:
            turns = [rows[start:end]]
        left -= len(turns) - 1
        for turn in turns:
            lines.append(turn[0] if len(turn) == 1 else summary(turn))
        begin = end
    return [*lines, *rows[begin:]]


def _lines(rows: Sequence[Row], kept: set[int]) -> int:
    return len(kept) + len(_gaps(rows, kept))


def _gaps(rows: Sequence[Row], kept: set[int]) -> list[tuple[int, int]]:
    """Return the gaps between kept rows, each as the index of its first row and the index after its last."""
    marks = [-1, *sorted(kept), len(rows)]
    return [(one + 1, other) for one, other in pairwise(marks) if other - one > 1]


def _turns(rows: Sequence[Row]) -> list[Sequence[Row]]:
    """Split rows at each thread switch."""
    cuts = [n for n in range(1, len(rows)) if rows[n].thread != rows[n - 1].thread]
    return [rows[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(rows)], strict=True)]


def summary(rows: Sequence[Row]) -> str:
    """Summarize some rows in one line.

    >>> from raddle.event import Event
    >>> steps = [Row("T3", Event("T3", "read", "C.n", 1, "c.py", 9), function="C.get")] * 13
    >>> starts = [Row("T0", Event("T0", "start", f"T{n}", 0, "c.py", 20)) for n in range(1, 101)]
    >>> summary(steps), summary(starts), summary([*starts[:2], *steps])
    ('T3: 13 steps in C.get', 'T0 starts T1 to T100', 'T3: 13 steps in C.get; T0 starts T1 and T2')
    """
    steps = [row for row in rows if row.event is not None and not row.started]
    parts = []
    if steps:
        where = Counter(row.function or (row.event.file if row.event is not None else "") for row in steps)
        functions = [name for name, _ in where.most_common()]
        threads = _threads(dict.fromkeys(row.thread for row in steps))
        parts.append(f"{threads}: {count(len(steps), 'step')} in {_listed(functions, 'function')}")
    starters = dict.fromkeys(row.thread for row in rows if row.started)
    parts += [
        f"{thread} starts {_threads(row.started for row in rows if row.thread == thread and row.started)}"
        for thread in list(starters)[:_MAX_NAMES]
    ]
    if len(starters) > _MAX_NAMES:
        more = sum(bool(row.started) for row in rows if row.thread in list(starters)[_MAX_NAMES:])
        parts.append(f"{count(more, 'more thread')} started")
    stops = sum(row.stop is not None for row in rows)
    if stops:
        parts.append(f"{count(stops, 'preemption')}")
    return "; ".join(parts)


def _threads(names: Iterable[str]) -> str:
    """List thread names, as a range if they are consecutive.

    >>> _threads(["T1", "T2", "T3"]), _threads(["T1", "T7"]), _threads(["T1.1", "T3", "T4", "T2"])
    ('T1 to T3', 'T1 and T7', 'T1.1, T3 and 2 more threads')
    """
    listed = list(names)
    if len(listed) > _MAX_NAMES and _consecutive(listed):
        return f"{listed[0]} to {listed[-1]}"
    return _listed(listed, "thread")


def _consecutive(names: Sequence[str]) -> bool:
    matches = [_NUMBERED.match(name) for name in names]
    found = [(match["head"], int(match["number"])) for match in matches if match is not None]
    first = found[0] if found else ("", 0)
    return len(found) == len(names) and found == [(first[0], first[1] + n) for n in range(len(names))]


def _listed(names: Sequence[str], noun: str) -> str:
    if len(names) <= _MAX_NAMES:
        return " and ".join(names)
    return f"{', '.join(names[:_MAX_NAMES])} and {count(len(names) - _MAX_NAMES, f'more {noun}')}"
