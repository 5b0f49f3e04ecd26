"""Which occurrences of patterns the facts about one owner rule out, and why.

An order of steps is ruled out

* if one step comes before a step of the other thread that it can never come before, because of how threads are started
  and joined;
* if a thread holds a lock from one of its steps to the next, as far as was seen, and a step of the other thread
  between them needs the same lock.

A pattern is ruled out if all the orders are that its steps may come in.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cache
from itertools import product
from math import prod
from typing import NamedTuple

from raddle.criteria.patterns import PATTERNS, Order, Pattern
from raddle.facts import Access, OwnerFacts

Place = int | None  # of an access among the facts; None if nobody saw it
Run = tuple[int, int]  # two steps of one thread, one after the other


class _Shape(NamedTuple):
    """What has to be asked about one order of a pattern's steps."""

    crossings: tuple[tuple[int, int], ...]  # steps of different threads, the earlier one first
    runs: tuple[tuple[Run, int, Run | None], ...]  # a run, a step of the other thread in between, and that one's run


class RuledOut:
    """What is impossible for the objects of one owner, as far as was seen.

    >>> from raddle.facts import Conduct
    >>> written, read = ("x", 70001), ("x", 70002)  # by the one that starts the reader
    >>> facts = OwnerFacts.make([written, read], (0b10,), Conduct(seen=0b11))
    >>> RuledOut(facts).why(PATTERNS[1], [read, written])
    'by the starts and joins of threads, step 2 comes before step 1'
    >>> RuledOut(facts).why(PATTERNS[2], [written, read])
    """

    def __init__(self, facts: OwnerFacts) -> None:
        size = range(len(facts.accesses))
        self._places = {access: place for place, access in enumerate(facts.accesses)}
        self._after = _filled(facts.before, size)
        self._before = _turned(self._after)
        runs = _filled(facts.conduct.runs, size)
        self._guards = []
        for guard in facts.conduct.guards:
            kept = [run & ~split for run, split in zip(runs, _filled(guard.split, size), strict=True)]
            if any(kept):
                self._guards.append((kept, facts.conduct.seen & ~guard.loose, guard.lock or "a lock"))

    def why(self, pattern: Pattern, accesses: Sequence[Access]) -> str | None:
        """The reason why the pattern cannot occur with these accesses; None if it can."""
        places = [self._places.get(access) for access in accesses]
        reasons = [self._why_not(shape, places) for shape in _shapes(pattern.number)]
        return reasons[0] if all(reasons) else None

    def count(self, pattern: Pattern, choices: Sequence[Iterable[Access]]) -> int:
        """How many occurrences are possible, with these choices of an access for each step.

        Accesses about which the facts say the same are tried only once.
        """
        shapes = _shapes(pattern.number)
        groups = [self._groups(choice) for choice in choices]
        return sum(
            prod(size for _, size in chosen)
            for chosen in product(*groups)
            if not all(self._why_not(shape, [place for place, _ in chosen]) for shape in shapes)
        )

    def _groups(self, accesses: Iterable[Access]) -> list[tuple[Place, int]]:
        groups: dict[Hashable, tuple[Place, int]] = {}
        for access in accesses:
            place = self._places.get(access)
            likeness = self._likeness(place)
            known = groups.get(likeness)
            groups[likeness] = (place, 1) if known is None else (known[0], known[1] + 1)
        return list(groups.values())

    def _likeness(self, place: Place) -> Hashable:
        """Equal for accesses that can be exchanged: the same rows and columns in all relations."""
        if place is None:
            return None
        rows = [self._after[place], self._before[place]]
        for kept, always, _ in self._guards:
            rows += [kept[place], sum(1 << first for first, row in enumerate(kept) if row >> place & 1)]
            rows.append(always >> place & 1)
        return tuple(rows)

    def _why_not(self, shape: _Shape, places: Sequence[Place]) -> str | None:
        for first, second in shape.crossings:
            reason = self._never_before(places[first], places[second])
            if reason is not None:
                return reason.format(first=first + 1, second=second + 1)
        for run, between, its_run in shape.runs:
            for guard in self._guards:
                if _keeps(guard[0], run, places) and (
                    _holds(guard[1], places[between]) or (its_run is not None and _keeps(guard[0], its_run, places))
                ):
                    steps = f"from step {run[0] + 1} to step {run[1] + 1}"
                    return f"{guard[2]} is held {steps}, and step {between + 1} needs it, too"
        return None

    def _never_before(self, first: Place, second: Place) -> str | None:
        """Why an access never comes before one of another thread."""
        if first is not None and second is not None:
            if self._after[first] >> second & 1:
                return None
            if self._after[second] >> first & 1:
                return "by the starts and joins of threads, step {second} comes before step {first}"
        if second is not None and self._after[second] and not self._before[second]:
            return "step {second} is done only before other threads come to the object"
        if first is not None and self._before[first] and not self._after[first]:
            return "step {first} is done only after other threads have left the object"
        return None


@cache
def _shapes(number: int) -> tuple[_Shape, ...]:
    pattern = PATTERNS[number]
    return tuple(_shape(pattern, order) for order in pattern.orders)


def _shape(pattern: Pattern, order: Order) -> _Shape:
    threads = [part.thread for part in pattern.parts]
    runs = {thread: run for thread in "AB" if len(run := [i for i in order if threads[i] == thread]) == 2}
    crossings = tuple(
        (first, second)
        for position, first in enumerate(order)
        for second in order[position + 1 :]
        if threads[first] != threads[second]
    )
    between = tuple(
        ((run[0], run[1]), step, _pair(runs.get(threads[step])))
        for thread, run in runs.items()
        for step in order[order.index(run[0]) + 1 : order.index(run[1])]
        if threads[step] != thread
    )
    return _Shape(crossings, between)


def _pair(run: list[int] | None) -> Run | None:
    return None if run is None else (run[0], run[1])


def _keeps(kept: list[int], run: Run, places: Sequence[Place]) -> bool:
    first, second = places[run[0]], places[run[1]]
    return first is not None and second is not None and bool(kept[first] >> second & 1)


def _holds(always: int, place: Place) -> bool:
    return place is not None and bool(always >> place & 1)


def _filled(rows: Sequence[int], size: range) -> list[int]:
    return [rows[place] if place < len(rows) else 0 for place in size]


def _turned(rows: Sequence[int]) -> list[int]:
    return [sum(1 << first for first, row in enumerate(rows) if row >> place & 1) for place in range(len(rows))]
