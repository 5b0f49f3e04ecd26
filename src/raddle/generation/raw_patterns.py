"""Raw patterns: occurrences of memory-access patterns under their numbers in Table I of the MAPTest paper.

Coverage counts equivalent patterns together (see `raddle.criteria.patterns`). A scheduler that makes a pattern happen
needs one order of steps, so test generation uses the raw numbers 1 to 17.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from raddle.criteria.patterns import PATTERNS, Part, identify
from raddle.entities import Entities
from raddle.generation.binding import is_test_site
from raddle.operation import ACCESSES, READ, WRITE, verb_of
from raddle.static_model import VariableName
from raddle.step import Step

NO_VARIABLE: VariableName = ("", "")  # in place of y if the pattern is about one variable


class Family(NamedTuple):
    """All raw patterns with one number and the same variables."""

    number: int
    x: VariableName
    y: VariableName = NO_VARIABLE

    @property
    def parts(self) -> tuple[Part, ...]:
        """The steps of the pattern."""
        return PATTERNS[self.number].parts

    @property
    def pair(self) -> bool:
        """Whether the patterns are about two variables."""
        return PATTERNS[self.number].pair

    def variable(self, part: Part) -> VariableName:
        """Return the variable that a step accesses."""
        return self.x if part.variable == "x" else self.y


class RawPattern(NamedTuple):
    """A raw pattern: which of two threads accesses which variable at which site, in order.

    >>> print(RawPattern(4, ("log.py:Log", "th"), NO_VARIABLE, (70004, 70009, 70005)))
    pattern 4: A reads th, B writes th, A reads th
    """

    number: int
    x: VariableName
    y: VariableName
    sites: tuple[int, ...]  # one for each step

    @property
    def family(self) -> Family:
        """The patterns that differ only in their sites."""
        return Family(self.number, self.x, self.y)

    @property
    def counted(self) -> tuple[object, ...]:
        """The requirement of MAP-coverage as which the pattern counts; equal for equivalent patterns.

        >>> x, y = ("log.py:Log", "x"), ("log.py:Log", "y")
        >>> RawPattern(11, x, y, (1, 2, 3, 4)).counted == RawPattern(10, x, y, (1, 2, 4, 3)).counted
        True
        """
        return identify(self.number, "\n".join(self.x), "\n".join(self.y), self.sites)

    def __str__(self) -> str:
        family = self.family
        steps = [f"{part.thread} {verb_of(part.kind)} {family.variable(part)[1]}" for part in family.parts]
        return f"pattern {self.number}: {', '.join(steps)}"


def is_countable(step: Step) -> bool:
    """Return whether a step counts for patterns: an access by the class under test after the threads have started.

    The harness constructs and prepares the object in thread 0, before it starts the other threads.
    """
    thread, kind, _, site = step
    return bool(thread and site) and kind in ACCESSES and not is_test_site(site)


def patterns_in(steps: Iterable[Step], entities: Entities, *, thread: int = 0) -> frozenset[RawPattern]:
    """Return all raw patterns that an execution contains (Algorithm 1); with `thread`, only those in which it acts.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> entities = make_entities(variables=[AbstractVariable("log.py:Log", "", "th")])
    >>> steps = [(1, "read", 0, 70004), (2, "write", 0, 70009), (1, "read", 0, 70005)]
    >>> sorted(pattern.number for pattern in patterns_in(steps, entities))
    [1, 2, 4]
    """
    times = _times(steps)
    found: set[RawPattern] = set()
    for a, b in permutations(times, 2):
        if thread in (0, a, b):
            found.update(_patterns_of(times[a], times[b], entities))
    return frozenset(found)


_Times = dict[tuple[str, int], dict[int, list[int]]]  # maps a kind and a variable to sites, and these to positions


def _times(steps: Iterable[Step]) -> dict[int, _Times]:
    """Return the positions of the accesses of each thread."""
    times: dict[int, _Times] = {}
    for position, step in enumerate(steps):
        if is_countable(step):
            thread, kind, variable, site = step
            kind = str(READ if kind == READ else WRITE)
            times.setdefault(thread, {}).setdefault((kind, variable), {}).setdefault(site, []).append(position)
    return times


def _patterns_of(a: _Times, b: _Times, entities: Entities) -> Iterator[RawPattern]:
    """Yield the patterns in which thread A takes the first step."""
    shared = sorted({variable for _, variable in a} & {variable for _, variable in b})
    names = {number: (entities.variables[number].owner, entities.variables[number].name) for number in shared}
    for number, pattern in PATTERNS.items():
        for x, y in permutations(shared, 2) if pattern.pair else [(one, -1) for one in shared]:
            if pattern.pair and names[x] == names[y]:
                continue
            choices = [
                (a if part.thread == "A" else b).get((part.kind, x if part.variable == "x" else y), {})
                for part in pattern.parts
            ]
            if all(choices):
                named = names[y] if pattern.pair else NO_VARIABLE
                for sites in _sequences(choices, -1, ()):
                    yield RawPattern(number, names[x], named, sites)


def _sequences(
    choices: Sequence[dict[int, list[int]]], after: int, chosen: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Yield the sites of all sequences of steps that occurred in this order after a position."""
    first, *rest = choices
    for site, positions in first.items():
        place = bisect_right(positions, after)
        if place < len(positions):
            if rest:
                yield from _sequences(rest, positions[place], (*chosen, site))
            else:
                yield (*chosen, site)
