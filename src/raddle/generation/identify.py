"""Identifies the patterns that a test could cover (Algorithm 3 of the MAPTest paper, for the calls of one test).

The paper prunes infeasible patterns with a static happens-before analysis before any run, and does not describe it.
raddle prunes with facts observed in sequential runs of the test:

* Program order: the steps of a thread must occur in this order in the thread's calls.
* Lock sets: if a thread always holds a lock from one of its steps to the next, no step of the other thread that needs
  the same lock comes in between.
* Starts and joins order accesses of a thread and of the threads that it starts. The accesses before the test starts
  its threads do not count.

Accesses that only the source shows are combined without pruning, because nothing is known about their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice, permutations, product
from typing import NamedTuple

from raddle.criteria.patterns import PATTERNS
from raddle.entities import Entities
from raddle.generation.access_model import Access
from raddle.generation.raw_patterns import NO_VARIABLE, Family, RawPattern
from raddle.generation.sequential_accesses import SequentialAccesses, ThreadAccess, ThreadAccesses
from raddle.static_model import VariableName
from raddle.step import Step

Wanted = Callable[[RawPattern], bool]
MAX_SEQUENCES = 200_000  # sequences of accesses examined in one run; methods with very many accesses have more
# The number of a pattern, an access for each step, and the accesses of threads A and B.
_Sequence = tuple[int, tuple[ThreadAccess, ...], ThreadAccesses, ThreadAccesses]

_Sites = Mapping[tuple[str, VariableName], Sequence[int]]  # maps a kind and a variable to sites


class _Shape(NamedTuple):
    """The constraints between the steps of a pattern, which are given by their indexes."""

    runs: tuple[tuple[int, int], ...]  # the two steps of a thread
    # A run, a step of the other thread between its steps, and the run of that other thread, if it has two steps.
    enclosed: tuple[tuple[tuple[int, int], int, tuple[int, int] | None], ...]
    crossings: tuple[tuple[int, int], ...]  # steps of different threads, the earlier one first


@cache
def _shape(number: int) -> _Shape:
    threads = [part.thread for part in PATTERNS[number].parts]
    places = range(len(threads))
    of_thread = {name: [place for place in places if threads[place] == name] for name in "AB"}
    runs = {name: (found[0], found[1]) for name, found in of_thread.items() if len(found) == 2}
    enclosed = tuple(
        (run, place, runs.get(threads[place]))
        for name, run in runs.items()
        for place in range(run[0] + 1, run[1])
        if threads[place] != name
    )
    crossings = tuple((one, other) for one in places for other in places[one + 1 :] if threads[one] != threads[other])
    return _Shape(tuple(runs.values()), enclosed, crossings)


def identify(
    steps: Sequence[Step],
    entities: Entities,
    wanted: Wanted = lambda pattern: True,
    *,
    family: Family | None = None,
) -> Iterator[RawPattern]:
    """Yield the wanted patterns that another interleaving of a sequential run could contain; some may occur twice.

    With `family`, only patterns of this family are examined.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> entities = make_entities(variables=[AbstractVariable("log.py:Log", "", "th")])
    >>> steps = [(1, "read", 0, 4), (1, "read", 0, 5), (2, "write", 0, 9)]
    >>> [(pattern.number, *pattern.sites) for pattern in identify(steps, entities)]
    [(1, 4, 9), (1, 5, 9), (4, 4, 9, 5), (2, 9, 4), (2, 9, 5)]
    """
    run = SequentialAccesses(steps, entities)
    pairs = permutations([run.threads[number] for number in sorted(run.threads)], 2)
    found = chain.from_iterable(_sequences(run, a, b, family) for a, b in pairs)
    for number, chosen, a, b in islice(found, MAX_SEQUENCES):
        if _is_possible(number, chosen, a, b):
            places = PATTERNS[number].parts
            y = next((step.variable for part, step in zip(places, chosen, strict=True) if part.variable == "y"), None)
            names = run.name(chosen[0].variable), NO_VARIABLE if y is None else run.name(y)
            pattern = RawPattern(number, *names, tuple([access.site for access in chosen]))
            if wanted(pattern):
                yield pattern


def _sequences(
    run: SequentialAccesses, a: ThreadAccesses, b: ThreadAccesses, family: Family | None
) -> Iterator[_Sequence]:
    """Yield the sequences of accesses that fit a pattern in which thread A takes the first step."""
    shared = sorted({number for _, number in a.by_variable} & {number for _, number in b.by_variable})
    if family is not None:
        shared = [number for number in shared if run.name(number) in (family.x, family.y)]
    for number, pattern in PATTERNS.items() if family is None else [(family.number, PATTERNS[family.number])]:
        for x, y in permutations(shared, 2) if pattern.pair else [(one, -1) for one in shared]:
            if pattern.pair and (run.name(x) == run.name(y) or (family is not None and run.name(x) != family.x)):
                continue
            choices = [
                (a if part.thread == "A" else b).by_variable.get((part.kind, x if part.variable == "x" else y), ())
                for part in pattern.parts
            ]
            for chosen in product(*choices):
                yield number, chosen, a, b


def _is_possible(number: int, chosen: Sequence[ThreadAccess], a: ThreadAccesses, b: ThreadAccesses) -> bool:
    """Return whether the facts allow these steps."""
    shape = _shape(number)
    sides = [a if part.thread == "A" else b for part in PATTERNS[number].parts]
    for first, second in shape.runs:
        if not sides[first].follows(chosen[first], chosen[second]):
            return False
    for (first, second), place, own_run in shape.enclosed:
        kept = sides[first].kept(chosen[first], chosen[second])
        if kept:
            held = sides[place].locks(chosen[place])
            if own_run is not None:
                held |= sides[place].kept(chosen[own_run[0]], chosen[own_run[1]])
            if kept & held:
                return False
    return all(
        sides[earlier].can_precede(chosen[earlier], sides[later], chosen[later]) for earlier, later in shape.crossings
    )


def identify_from_source(
    one: Iterable[Access], other: Iterable[Access], wanted: Wanted = lambda pattern: True
) -> Iterator[RawPattern]:
    """Yield the wanted patterns between the accesses of two threads' calls, without pruning.

    >>> th = ("log.py:Log", "th")
    >>> reads, write = [Access("read", th, 4), Access("read", th, 5)], [Access("write", th, 9)]
    >>> [pattern.sites for pattern in identify_from_source(reads, write) if pattern.number == 4]
    [(4, 9, 4), (4, 9, 5), (5, 9, 4), (5, 9, 5)]
    """
    sides = [_by_variable(one), _by_variable(other)]
    patterns = chain(_from_source(sides[0], sides[1]), _from_source(sides[1], sides[0]))
    yield from filter(wanted, islice(patterns, MAX_SEQUENCES))


def _from_source(a: _Sites, b: _Sites) -> Iterator[RawPattern]:
    """Yield the patterns in which thread A takes the first step."""
    shared = sorted({variable for _, variable in a} & {variable for _, variable in b})
    for number, pattern in PATTERNS.items():
        for x, y in permutations(shared, 2) if pattern.pair else [(one, NO_VARIABLE) for one in shared]:
            choices = [
                (a if part.thread == "A" else b).get((part.kind, x if part.variable == "x" else y), ())
                for part in pattern.parts
            ]
            for sites in product(*choices):
                yield RawPattern(number, x, y, sites)


def _by_variable(accesses: Iterable[Access]) -> _Sites:
    found: dict[tuple[str, VariableName], list[int]] = {}
    for kind, variable, site in sorted(accesses):
        found.setdefault((kind, variable), []).append(site)
    return found
