"""Ranks the rows of a story by how much they help to explain the failure.

Preemptions matter most, together with the accesses that conflict across them: the last access by the preempted thread
before the preemption, an access by another thread in between, and the first access after the preempted thread resumes.
If there are conflicts on several variables, the ranking prefers a variable that the failure depends on, or whose
accesses fit no serial order of the two threads (Lu et al., AVIO, 2006). Next come the last accesses of the failing
thread, and the writes of the values that it read. For a deadlock, the locks held at the end matter too.
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

MAX_STOPS = 6  # maximum number of preemptions to show
MAX_HELD = 8  # maximum number of held locks whose acquisitions are shown
_LAST = 3  # number of final accesses by the failing thread on which the failure is assumed to depend
_NEARBY = 40  # number of accesses near preemptions to rank; a short story has fewer lines
# Sequences of accesses before, during and after a preemption that fit no serial order. True stands for a write.
_UNSERIALIZABLE = frozenset({(False, True, False), (True, True, False), (False, True, True), (True, False, True)})

_Datum = tuple[int, str]  # identifies a variable, as `Event.datum` does


@dataclass(frozen=True, slots=True)
class Importance:
    """Indices of the rows that explain a failure."""

    needed: tuple[int, ...]  # rows without which the failure cannot be understood
    helpful: tuple[int, ...]  # further rows, most helpful first


@dataclass(frozen=True, slots=True)
class _Conflict:
    """Conflicting accesses to one variable around a preemption."""

    key: tuple[object, ...]  # sort key; the most informative conflict has the lowest key
    core: tuple[int, ...]  # rows of the accesses before, during and after the preemption
    more: tuple[int, ...]  # row of an earlier access by the other thread, if there is one


def importance(rows: Sequence[Row], finding: Finding) -> Importance:
    """Return the rows that explain the failure, ranked by importance."""
    changing = _changing(rows)
    last = _last_accesses(rows, finding.thread, changing)
    depends = {_datum(rows[number]) for number in last}
    around = {number: _conflicts(rows, number, depends) for number, row in enumerate(rows) if row.stop is not None}
    stops = _preemptions_to_show(rows, around, finding.thread)
    cores = [number for stop in stops for conflict in around[stop][:1] for number in conflict.core]
    torn = _unserializable(rows, [datum for number in last if (datum := _datum(rows[number])) in changing], stops)
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
    helpful += _last_steps(rows, finding)
    helpful += _nearby(rows, stops, changing)
    return Importance(tuple(dict.fromkeys(needed)), tuple(dict.fromkeys(n for n in helpful if n not in set(needed))))


def _changing(rows: Sequence[Row]) -> set[_Datum]:
    """Return the variables that some thread writes after another thread has accessed them."""
    users: dict[_Datum, set[str]] = {}
    found = set()
    for row in rows:
        if row.event is not None and row.event.kind in ACCESSES:
            known = users.setdefault(row.event.datum, set())
            if _writes(row) and known - {row.thread}:
                found.add(row.event.datum)
            known.add(row.thread)
    return found


def _preemptions_to_show(rows: Sequence[Row], around: dict[int, list[_Conflict]], failing: str) -> list[int]:
    """Return the rows of the preemptions to show, in order."""

    def rank(stop: int) -> tuple[object, ...]:
        conflicts = around[stop]
        return (not conflicts, rows[stop].thread != failing, *(conflicts[0].key[:5] if conflicts else ()), -stop)

    return sorted(sorted(around, key=rank)[:MAX_STOPS])


def _unserializable(rows: Sequence[Row], data: Iterable[_Datum], stops: Sequence[int]) -> tuple[int, ...]:
    """Return three accesses that fit no serial order: two by one thread and one by another thread in between.

    Return () if there are none. Prefer accesses around a preemption of the thread with two accesses. Otherwise, return
    the first such accesses after a preemption, because a thread can also be interrupted where it blocks.
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
    previous: dict[str, int] = {}  # maps a thread to the position of its last access in `accesses`
    for position, number in enumerate(accesses):
        thread = rows[number].thread
        earlier = previous.get(thread)
        previous[thread] = position
        if earlier is None:
            continue
        for between in reversed(accesses[earlier + 1 : position]):  # all of these accesses are by other threads
            pattern = _writes(rows[accesses[earlier]]), _writes(rows[between]), _writes(rows[number])
            if pattern in _UNSERIALIZABLE:
                yield accesses[earlier], between, number
                break


def _conflicts(rows: Sequence[Row], stop: int, depends: set[_Datum]) -> list[_Conflict]:
    """Return the conflicts across a preemption, most informative first."""
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
    """Map each wanted variable to the thread's first step on it, searching the rows in the given order."""
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
    """Return the last accesses of the failing thread, latest first, preferably to variables in `changing`."""
    accesses = [n for n, row in enumerate(rows) if row.event is not None and row.event.kind in ACCESSES]
    own = [number for number in accesses if rows[number].thread == thread] or accesses
    started = max((number for number, row in enumerate(rows) if row.thread == thread and row.started), default=-1)
    # Skip accesses made before the thread had started all of its child threads.
    own = [number for number in own if number > started] or own
    preferred = [number for number in own if _datum(rows[number]) in changing] or own
    return preferred[: -_LAST - 1 : -1]


def _writers(rows: Sequence[Row], last: Sequence[int]) -> Iterator[int]:
    """For each of these accesses, yield the last earlier step by another thread that conflicts with the access."""
    for number in last:
        access = rows[number]
        for earlier in range(number - 1, -1, -1):
            row = rows[earlier]
            same = row.thread != access.thread and _is_point(row) and _datum(row) == _datum(access)
            if same and (_writes(row) or _writes(access)):
                yield earlier
                break


def _held(rows: Sequence[Row]) -> list[int]:
    """Return the rows in which the locks held at the end were acquired."""
    taken: dict[str, int] = {}
    for number, row in enumerate(rows):
        if row.event is not None and row.event.kind in LOCKING:
            taken.pop(row.event.variable, None)
            if row.event.kind == ACQUIRE:
                taken[row.event.variable] = number
    return sorted(taken.values())


def _wakers(rows: Sequence[Row]) -> list[int]:
    """Return the last two steps that could have woken a thread."""
    kinds = ("notify", "set", "clear", "put", "up")
    return [number for number, row in enumerate(rows) if row.event is not None and row.event.kind in kinds][-2:]


def _nearby(rows: Sequence[Row], stops: Sequence[int], changing: set[_Datum]) -> list[int]:
    """Return accesses to changing variables, closest to a preemption first, to fill the remaining lines."""
    accesses = (
        number
        for number, row in enumerate(rows)
        if row.event is not None and row.event.kind in ACCESSES and row.event.datum in changing
    )
    return heapq.nsmallest(_NEARBY, accesses, key=lambda number: min((abs(number - stop) for stop in stops), default=0))


def _last_steps(rows: Sequence[Row], finding: Finding) -> list[int]:
    """Return the last two steps of the failing thread, and the last row of the story."""
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
    """Return whether a step conflicts even with reads, as writes and most synchronization operations do."""
    return row.event is not None and row.event.kind not in (READ, IS_SET)
