"""Which rows of a story explain the failure, by importance.

What matters most are the preemptions, each with the accesses that conflict across it: the last one by the preempted
thread before it stops, one by another thread while it is stopped, and the first one after it has resumed. Of several
variables the one counts on which the failure depends, or whose accesses no serial order of the two threads allows
(Lu et al., AVIO, 2006). Then come the last accesses of the failing thread, and who wrote what they read. A deadlock
depends on the locks that are held at its end.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from raddle.event import Event
from raddle.finding import Finding
from raddle.operation import ACCESSES, ACQUIRE, IS_SET, LOCKING, READ, START
from raddle.outcome import OutcomeKind
from raddle.report.rows import Row

MAX_STOPS = 6  # preemptions that are shown of an execution that has more
MAX_HELD = 8  # locks that are shown as held
_LAST = 3  # accesses of the failing thread that are taken for those that the failure depends on
_NEARBY = 40  # more rows than a short story has lines
# Accesses before, during and after a preemption that fit no serial order: True for those that write.
_UNSERIALIZABLE = frozenset({(False, True, False), (True, True, False), (False, True, True), (True, False, True)})

_Datum = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Importance:
    """Numbers of rows."""

    needed: tuple[int, ...]  # without these, the failure cannot be understood
    helpful: tuple[int, ...]  # the most helpful first


@dataclass(frozen=True, slots=True)
class _Conflict:
    """Accesses to one variable around a preemption; the most telling compares lowest."""

    key: tuple[object, ...]
    core: tuple[int, ...]
    more: tuple[int, ...]


def importance(rows: Sequence[Row], finding: Finding) -> Importance:
    """Rank the rows."""
    changing = _changing(rows)
    last = _last_accesses(rows, finding.thread, changing)
    depends = {_datum(rows[number]) for number in last}
    around = {number: _conflicts(rows, number, depends) for number, row in enumerate(rows) if row.stop is not None}
    stops = _telling(rows, around, finding.thread)
    cores = [number for stop in stops for conflict in around[stop][:1] for number in conflict.core]
    torn = _torn(rows, [datum for number in last if (datum := _datum(rows[number])) in changing], stops)
    needed = [*last[:1], *stops, *(torn or cores)]
    if finding.kind == OutcomeKind.DEADLOCK:
        needed += _held(rows)[-MAX_HELD:]
    helpful = [*cores, *(number for stop in stops for conflict in around[stop][:1] for number in conflict.more)]
    helpful += _writers(rows, [number for number in last if _datum(rows[number]) in changing])
    if not stops:
        needed += helpful[:2]
    helpful += last
    helpful += _wakers(rows) if finding.kind in (OutcomeKind.DEADLOCK, OutcomeKind.LOST_WAKEUP) else ()
    helpful += [number for stop in stops for conflict in around[stop][1:2] for number in conflict.core]
    helpful += _ends(rows, finding)
    helpful += _nearby(rows, stops, changing)
    return Importance(tuple(dict.fromkeys(needed)), tuple(dict.fromkeys(n for n in helpful if n not in set(needed))))


def _changing(rows: Sequence[Row]) -> set[_Datum]:
    """The variables that are written after another thread has used them, not only before threads share them."""
    users: dict[_Datum, set[str]] = {}
    found = set()
    for row in rows:
        if row.event is not None and row.event.kind in ACCESSES:
            known = users.setdefault(row.event.datum, set())
            if _writes(row) and known - {row.thread}:
                found.add(row.event.datum)
            known.add(row.thread)
    return found


def _telling(rows: Sequence[Row], around: dict[int, list[_Conflict]], failing: str) -> list[int]:
    """The preemptions to show, in order."""

    def rank(stop: int) -> tuple[object, ...]:
        conflicts = around[stop]
        return (not conflicts, rows[stop].thread != failing, *(conflicts[0].key[:5] if conflicts else ()), -stop)

    return sorted(sorted(around, key=rank)[:MAX_STOPS])


def _torn(rows: Sequence[Row], data: Iterable[_Datum], stops: Sequence[int]) -> tuple[int, ...]:
    """Two accesses of one thread with another thread's between, which fit no serial order; () if there are none.

    Across a preemption of that thread if possible, else the first after one: a thread also stops where it blocks.
    """
    ordered = list(dict.fromkeys(data))
    found = [triple for datum in ordered for triple in _triples(rows, datum)]

    def rank(triple: tuple[int, int, int]) -> tuple[object, ...]:
        before, _, after = triple
        spanned = [stop for stop in stops if before < stop < after]
        own = any(rows[stop].thread == rows[before].thread for stop in spanned)
        return not own, ordered.index(_datum(rows[before])), not spanned, after < min(stops, default=0), after

    return min(found, key=rank, default=())


def _triples(rows: Sequence[Row], datum: _Datum) -> Iterator[tuple[int, int, int]]:
    accesses = [
        number
        for number, row in enumerate(rows)
        if row.event is not None and row.event.kind in ACCESSES and row.event.datum == datum
    ]
    previous: dict[str, int] = {}  # by thread: the position in `accesses` of its last one
    for position, number in enumerate(accesses):
        thread = rows[number].thread
        earlier = previous.get(thread)
        previous[thread] = position
        if earlier is None:
            continue
        for between in reversed(accesses[earlier + 1 : position]):  # all of other threads
            pattern = _writes(rows[accesses[earlier]]), _writes(rows[between]), _writes(rows[number])
            if pattern in _UNSERIALIZABLE:
                yield accesses[earlier], between, number
                break


def _conflicts(rows: Sequence[Row], stop: int, depends: set[_Datum]) -> list[_Conflict]:
    """The variables that are touched on both sides of a preemption, the most telling first."""
    thread = rows[stop].thread
    resumed = next((n for n in range(stop + 1, len(rows)) if _event_of(rows[n], thread) is not None), len(rows))
    meanwhile: dict[_Datum, list[int]] = {}
    for number in range(stop + 1, resumed):
        if _is_point(rows[number]):
            meanwhile.setdefault(_datum(rows[number]), []).append(number)
    before = _first_of_each(rows, range(stop - 1, -1, -1), thread, set(meanwhile))
    after = _first_of_each(rows, range(resumed, len(rows)), thread, set(meanwhile))
    found = (
        _conflict(rows, numbers, before.get(datum), after.get(datum), resumed=resumed, depends=datum in depends)
        for datum, numbers in meanwhile.items()
    )
    return sorted((one for one in found if one is not None), key=lambda one: one.key)


def _conflict(
    rows: Sequence[Row],
    meanwhile: Sequence[int],
    before: int | None,
    after: int | None,
    *,
    resumed: int,
    depends: bool,
) -> _Conflict | None:
    writes = [number for number in meanwhile if _writes(rows[number])]
    own = [number for number in (before, after) if number is not None]
    if not own and resumed < len(rows):
        return None
    if not writes and own and not any(_writes(rows[number]) for number in own):
        return None
    shown = writes[-1] if writes else meanwhile[-1]
    serial = True
    if before is not None and after is not None:
        kinds = _writes(rows[before]), _writes(rows[after])
        fits = {(kinds[0], _writes(rows[number]), kinds[1]) in _UNSERIALIZABLE: number for number in meanwhile}
        if True in fits:
            serial, shown = False, fits[True]
    event = rows[shown].event
    assert event is not None
    key = (event.kind not in ACCESSES, event.kind in LOCKING, not depends and after != resumed, serial, not depends)
    reader = [number for number in meanwhile if number < shown and rows[number].thread == rows[shown].thread][-1:]
    core = tuple(number for number in (before, shown, after) if number is not None)
    return _Conflict((*key, shown), core, tuple(reader))


def _first_of_each(rows: Sequence[Row], numbers: Iterable[int], thread: str, wanted: set[_Datum]) -> dict[_Datum, int]:
    """The first step of a thread on each of these variables, in this order of the rows."""
    found: dict[_Datum, int] = {}
    for number in numbers:
        if rows[number].thread == thread and _is_point(rows[number]):
            datum = _datum(rows[number])
            if datum in wanted:
                found.setdefault(datum, number)
                if len(found) == len(wanted):
                    break
    return found


def _last_accesses(rows: Sequence[Row], thread: str, changing: set[_Datum]) -> list[int]:
    """The last accesses of the failing thread, the last one first, to variables that change if there are any."""
    accesses = [n for n, row in enumerate(rows) if row.event is not None and row.event.kind in ACCESSES]
    own = [number for number in accesses if rows[number].thread == thread] or accesses
    started = max((number for number, row in enumerate(rows) if row.thread == thread and row.started), default=-1)
    own = [number for number in own if number > started] or own  # before, it was alone
    telling = [number for number in own if _datum(rows[number]) in changing] or own
    return telling[: -_LAST - 1 : -1]


def _writers(rows: Sequence[Row], last: Sequence[int]) -> Iterator[int]:
    """For each of these accesses: the last step by another thread before it that conflicts with it."""
    for number in last:
        access = rows[number]
        for earlier in range(number - 1, -1, -1):
            row = rows[earlier]
            same = row.thread != access.thread and _is_point(row) and _datum(row) == _datum(access)
            if same and (_writes(row) or _writes(access)):
                yield earlier
                break


def _held(rows: Sequence[Row]) -> list[int]:
    """Where the locks were acquired that are held at the end."""
    taken: dict[str, int] = {}
    for number, row in enumerate(rows):
        if row.event is not None and row.event.kind in LOCKING:
            taken.pop(row.event.variable, None)
            if row.event.kind == ACQUIRE:
                taken[row.event.variable] = number
    return sorted(taken.values())


def _wakers(rows: Sequence[Row]) -> list[int]:
    """The last steps that could have woken a thread."""
    kinds = ("notify", "set", "clear", "put", "up")
    return [number for number, row in enumerate(rows) if row.event is not None and row.event.kind in kinds][-2:]


def _nearby(rows: Sequence[Row], stops: Sequence[int], changing: set[_Datum]) -> list[int]:
    """Accesses to variables that change, those next to a preemption first, for the lines that are left."""
    accesses = (
        number
        for number, row in enumerate(rows)
        if row.event is not None and row.event.kind in ACCESSES and row.event.datum in changing
    )
    return heapq.nsmallest(_NEARBY, accesses, key=lambda number: min((abs(number - stop) for stop in stops), default=0))


def _ends(rows: Sequence[Row], finding: Finding) -> list[int]:
    """The last two steps of the failing thread, and the last one of all."""
    own = [number for number, row in enumerate(rows) if row.thread == finding.thread and _is_point(row)]
    return [*reversed(own[-2:]), *([len(rows) - 1] if rows else [])]


def _event_of(row: Row, thread: str) -> Event | None:
    return row.event if row.thread == thread else None


def _is_point(row: Row) -> bool:
    return row.event is not None and row.event.kind != START


def _datum(row: Row) -> _Datum:
    assert row.event is not None
    return row.event.datum


def _writes(row: Row) -> bool:
    """Whether the order of this step and another one on the same variable matters even if the other only reads."""
    return row.event is not None and row.event.kind not in (READ, IS_SET)
