"""Finds the patterns of which one call makes both steps of a thread, without a lock that keeps them together.

An order of whole calls contains every pattern whose steps all belong to different calls. Such orders are legal, so only
the other patterns can expose a bug. The steps of one call can be separated unless the call keeps a lock from one to the
other. Sequential runs show both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from raddle.criteria.patterns import PATTERNS, Part
from raddle.entities import Entities
from raddle.generation.access_model import is_unnamed
from raddle.generation.raw_patterns import NO_VARIABLE, Family, RawPattern
from raddle.generation.sequential_accesses import SequentialAccesses
from raddle.generation.surface import Method
from raddle.static_model import VariableName
from raddle.step import Step

Run = tuple[int, int]  # the places of a thread's two steps in a pattern
_Steps = tuple[str, VariableName, str, VariableName]  # the kinds and variables of two steps of one call


def runs_of(parts: Sequence[Part]) -> tuple[Run, ...]:
    """Return the places of the steps of each thread that has two.

    >>> runs_of(PATTERNS[3].parts), runs_of(PATTERNS[4].parts), runs_of(PATTERNS[9].parts)
    ((), ((0, 2),), ((0, 3), (1, 2)))
    """
    places = ([place for place, part in enumerate(parts) if part.thread == thread] for thread in "AB")
    return tuple((found[0], found[1]) for found in places if len(found) == 2)


class SeparableSteps:
    """The separable steps of each method, as far as sequential runs have shown them.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import MethodKind
    >>> check = Method("check", MethodKind.METHOD, Imported("log", "Log"))
    >>> entities, steps = make_entities(variables=[AbstractVariable("log.py:Log", "", "th")]), SeparableSteps()
    >>> steps.learn(check, [(1, "read", 0, 4), (1, "read", 0, 5)], entities)
    >>> th = ("log.py:Log", "th")
    >>> [family.number for family in steps.families()], steps.methods(Family(4, th), (0, 2)) == (check,)
    ([4], True)
    """

    def __init__(self) -> None:
        self._methods: dict[_Steps, dict[Method, None]] = {}
        self._sites: dict[Method, set[tuple[int, int]]] = {}

    @property
    def version(self) -> int:
        """A number that grows with the number of families."""
        return len(self._methods)

    def learn(self, method: Method, steps: Sequence[Step], entities: Entities) -> None:
        """Add the steps of a sequential run of one call."""
        self.learn_run(method, SequentialAccesses(steps, entities))

    def learn_run(self, method: Method, run: SequentialAccesses) -> None:
        """Add the accesses of a sequential run of one call."""
        for accesses in run.threads.values():
            for first, second in accesses.separable():
                x, y = run.name(first.variable), run.name(second.variable)
                # Steps on variables of one name belong to one pattern only if they access one object.
                if (x == y) == (first.variable == second.variable) and not (is_unnamed(x) or is_unnamed(y)):
                    self._methods.setdefault((first.kind, x, second.kind, y), {})[method] = None
                    self._sites.setdefault(method, set()).add((first.site, second.site))

    def methods(self, family: Family, run: Run) -> tuple[Method, ...]:
        """Return the methods that make both steps of a thread in one call."""
        one, other = (family.parts[place] for place in run)
        steps = one.kind, family.variable(one), other.kind, family.variable(other)
        return tuple(self._methods.get((str(steps[0]), steps[1], str(steps[2]), steps[3]), ()))

    def families(self) -> Iterator[Family]:
        """Yield the families of which one call makes both steps of a thread, in a fixed order."""
        found: dict[Family, None] = {}
        for number, pattern in PATTERNS.items():
            for run in runs_of(pattern.parts):
                one, other = (pattern.parts[place] for place in run)
                for first_kind, first, second_kind, second in self._methods:
                    kinds = (one.kind, other.kind) == (first_kind, second_kind)
                    if kinds and (one.variable == other.variable) == (first == second):
                        y = NO_VARIABLE if first == second else second
                        found[Family(number, first, y) if one.variable == "x" else Family(number, y, first)] = None
        return iter(found)

    def has_family(self, family: Family) -> bool:
        """Return whether a call of some method makes both steps of a thread."""
        return any(self.methods(family, run) for run in runs_of(family.parts))

    def has(self, pattern: RawPattern, methods: Iterable[Method]) -> bool:
        """Return whether a call of one of the methods makes both steps of a thread."""
        sites = [self._sites.get(method, set()) for method in methods]
        runs = [(pattern.sites[one], pattern.sites[other]) for one, other in runs_of(pattern.family.parts)]
        return any(run in known for run in runs for known in sites)
