"""The access model of a class: which methods read and write which variables, and at which sites.

These are V, R_m, W_m, I_xR and I_xW of the MAPTest paper (Algorithm 2, line 1, and Algorithm 3, line 1). V contains the
variables that the class declares, those it inherits, and those of the objects it uses. A method also touches what the
functions that it calls touch. The sites are those of the class and of the code that it calls, never those of a test.

The model is computed from the source first. Sequential runs refine it: they show accesses that the source does not
show, such as those in functions that are called through a variable, and they correct guesses about receivers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from math import prod
from typing import NamedTuple

from raddle.criteria.patterns import PATTERNS
from raddle.entities import Entities
from raddle.generation.binding import is_test_site
from raddle.generation.call_graph import CallGraph
from raddle.generation.raw_patterns import NO_VARIABLE, Family
from raddle.generation.surface import Method, Surface
from raddle.operation import ACCESSES, READ, WRITE
from raddle.site import SiteTable
from raddle.static_model import StaticModel, VariableName
from raddle.step import Step


def is_unnamed(variable: VariableName) -> bool:
    """Return whether a variable is the content of a container in no attribute, which is mostly a local variable.

    >>> is_unnamed(("list", "list[]")), is_unnamed(("log.py:Log", "handlers[]"))
    (True, False)
    """
    owner, name = variable
    return name == f"{owner}[]"


class Access(NamedTuple):
    """An access that a method can make."""

    kind: str  # "read" or "write"
    variable: VariableName
    site: int


class AccessModel:
    """The accesses of each method.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import MethodKind
    >>> cls = Imported("log", "Log")
    >>> get, put = (Method(name, MethodKind.METHOD, cls) for name in ("get", "put"))
    >>> th = ("log.py:Log", "th")
    >>> model = AccessModel({get: [Access("read", th, 4), Access("read", th, 5)], put: [Access("write", th, 9)]})
    >>> model.variables, model.total(), [str(method) for method in model.methods_with("write", th)]
    ((('log.py:Log', 'th'),), 16, ['put'])
    """

    def __init__(self, accesses: Mapping[Method, Iterable[Access]], *, guesses: Collection[Access] = ()) -> None:
        self._accesses = {method: set(found) for method, found in accesses.items()}
        self._guesses = set(guesses)  # static accesses for which the class of the receiver is only guessed
        self._observed: set[Access] = set()
        self.version = 0  # grows when a variable gains its first read or write
        self._index()

    @classmethod
    def from_source(cls, surface: Surface, table: SiteTable, model: StaticModel) -> AccessModel:
        """Return the static model of a class, whose modules have been instrumented."""
        by_site: dict[int, list[Access]] = {}
        guesses: set[Access] = set()
        for variable, accesses in model.variables.items():
            for kind, sites in ((READ, accesses.reads), (WRITE, accesses.writes)):
                for site in sites:
                    access = Access(str(kind), variable, site)
                    by_site.setdefault(site, []).append(access)
                    if site in accesses.guessed:
                        guesses.add(access)
        graph = CallGraph(surface.cls.load(), table)
        methods = {
            method: [access for site in graph.sites(method) for access in by_site.get(site, ())]
            for method in surface.methods
        }
        return cls(methods, guesses=guesses)

    def _index(self) -> None:
        """Derive V, and for each variable the methods and sites that read and write it."""
        sites: dict[tuple[str, VariableName], set[int]] = {}
        methods: dict[tuple[str, VariableName], list[Method]] = {}
        for method, accesses in self._accesses.items():
            for kind, variable, site in accesses:
                sites.setdefault((kind, variable), set()).add(site)
                having = methods.setdefault((kind, variable), [])
                if not having or having[-1] is not method:
                    having.append(method)
        self._sites, self._methods = sites, methods
        self.variables = tuple(sorted({variable for kind, variable in sites if kind == WRITE}))

    def of(self, method: Method) -> frozenset[Access]:
        """Return the accesses of a method; empty if the method is unknown."""
        return frozenset(self._accesses.get(method, ()))

    def methods_with(self, kind: str, variable: VariableName) -> Sequence[Method]:
        """Return the methods that read, or write, a variable."""
        return self._methods.get((kind, variable), ())

    def sites(self, kind: str, variable: VariableName) -> frozenset[int]:
        """Return the sites that read, or write, a variable."""
        return frozenset(self._sites.get((kind, variable), ()))

    def learn(self, method: Method, steps: Iterable[Step], entities: Entities) -> None:
        """Refine the model with the steps of a sequential run of a method."""
        variables = entities.variables
        seen = {
            Access(str(READ if kind == READ else WRITE), (variables[target].owner, variables[target].name), site)
            for _, kind, target, site in steps
            if kind in ACCESSES and site and not is_test_site(site)
        }
        known = self._accesses.setdefault(method, set())
        places = {(access.kind, access.site) for access in seen}
        wrong = {guess for guess in self._guesses - self._observed - seen if (guess.kind, guess.site) in places}
        self._observed |= seen
        if not seen <= known or wrong:
            known |= seen
            self._guesses -= wrong
            for accesses in self._accesses.values():
                accesses -= wrong
            before = self._sites.keys()
            self._index()
            self.version += not self._sites.keys() <= before

    # -- families of patterns -----------------------------------------------------------------------

    def families(self, *, pair: bool) -> Iterator[Family]:
        """Yield all families of one variable, or of pairs, with at least one pattern, in a fixed order."""
        for number in [number for number, pattern in PATTERNS.items() if pattern.pair == pair]:
            pairs: Iterable[tuple[VariableName, ...]] = permutations(self.variables, 2)
            for x, y in pairs if pair else [(x, NO_VARIABLE) for x in self.variables]:
                family = Family(number, x, y)
                if self.size(family):
                    yield family

    def size(self, family: Family) -> int:
        """Return the number of patterns of a family (Algorithm 3), including infeasible ones."""
        return prod(len(self._sites.get((part.kind, family.variable(part)), ())) for part in family.parts)

    def total(self) -> int:
        """Return T_C: the number of requirements of MAP-coverage, by the paper's formula.

        The formula sums over unordered pairs of variables. Algorithm 3, and therefore `families`, has ordered pairs.
        """
        counts = [(len(self.sites(READ, x)), len(self.sites(WRITE, x))) for x in self.variables]
        single = sum(2 * r * w + w**2 + r**2 * w + 3 * r * w**2 + w**3 for r, w in counts)
        return single + sum(3 * wx**2 * wy**2 + 6 * wx * rx * wy * ry for (rx, wx), (ry, wy) in combinations(counts, 2))
