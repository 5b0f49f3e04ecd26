"""MAP-coverage: the memory-access patterns that occurred (Wang, Zhao, Liu, Sun, Chen, Lin, ASE 2019).

A requirement is a tuple (pattern, owner, x, y, site, site, ...) with a site for each step of the pattern. For patterns
of one variable, y is "". If x and y have different owners, y contains the name of its owner (see `pattern_keys`). A
requirement is covered if the steps happened in this order, possibly with other steps in between (Algorithm 1). It
matters whether two steps are by the same thread. It does not matter which threads and which object are involved.

The paper leaves some details open. raddle handles them as follows:

* The total follows the paper's formula for T_C, applied to each pair of variables. `raddle.criteria.patterns` explains
  how requirements are identified so that the total is exact. Pattern 11 is counted as pattern 10, and
  patterns 15 to 17 are counted as pattern 13.
* Pairs consist of variables of one object, both own and inherited ones. The paper's V is the set of variables that one
  class declares, inherits and dereferences. Across a whole program, most pairs would consist of unrelated variables,
  and T_C would grow quadratically until percentages became meaningless. A `VariableScope` selects the V of one class
  under test. All variables in it form pairs, and only accesses at certain sites count.
* Infeasible patterns are pruned, based on the executions observed so far (`raddle.criteria.ruled_out`), whereas the
  paper prunes before any run. A later execution can show that a pruned pattern is feasible after all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations, permutations, product
from math import prod
from typing import NamedTuple, Self

from raddle.criteria.automaton import Automata
from raddle.criteria.base import LINEAR, Criterion
from raddle.criteria.pattern_keys import NO_VARIABLE, key_head, parse_key
from raddle.criteria.pattern_words import clause
from raddle.criteria.patterns import COUNTED, PATTERNS, Pattern
from raddle.criteria.prefixes import Prefixes
from raddle.criteria.ruled_out import RuledOut, RuledOutByOwners, reference_of
from raddle.criterion_settings import CriterionSettings
from raddle.entities import Entities
from raddle.operation import ACCESSES, READ, WRITE, verb_of
from raddle.pruning_facts import Access, PruningFacts
from raddle.requirement import SITE, Role, Shape, Single, word
from raddle.site import Site
from raddle.static_model import StaticModel, VariableName, relative_name
from raddle.step import Step
from raddle.tally import PRUNED, STATIC, Key, Total
from raddle.variable_scope import VariableScope

_Choices = dict[tuple[VariableName, str], tuple[Access, ...]]  # the accesses of each kind to each variable


class _Family(NamedTuple):
    """All requirements with the same pattern and variables."""

    pattern: Pattern
    x: VariableName
    y: VariableName
    owners: frozenset[str]
    choices: tuple[tuple[Access, ...], ...]  # the possible accesses for each step, in order

    @property
    def size(self) -> int:
        return prod(map(len, self.choices))

    def keys(self, ruled_out: RuledOut | None) -> Iterator[Key]:
        """Yield the requirements that are not ruled out."""
        head = key_head(self.pattern.number, self.x, self.y)
        chosen = product(*self.choices) if ruled_out is None else ruled_out.possible(self.pattern, self.choices)
        for accesses in chosen:
            yield (*head, *[site for _, site in accesses])

    def count(self, ruled_out: RuledOut | None) -> int:
        """Return the number of requirements that are not ruled out."""
        return self.size if ruled_out is None else ruled_out.count(self.pattern, self.choices)


class MemoryAccessPatterns(Criterion):
    """The MAP-coverage criterion.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> criterion = MemoryAccessPatterns()
    >>> criterion.begin(make_entities(variables=[AbstractVariable("log.py:Log", "", "th")]))
    >>> criterion.feed([(1, "read", 0, 70004), (2, "write", 0, 70009), (1, "read", 0, 70005)])
    >>> sorted(criterion.collect(final=True))[2]
    (4, 'log.py:Log', 'th', '', 70004, 70009, 70005)
    """

    name = "map"
    late_only = True  # constructors access their own object before it is shared
    family = "MAP"
    paper = "Wang et al., MAP-Coverage: a Novel Coverage Criterion for Testing Thread-Safe Classes, ASE 2019"
    shape = Shape(word("pattern"), Single("owner", Role.OWNER), word("x"), word("y"), SITE, SITE, optional=(SITE, SITE))
    summary = "two threads access one variable, or two variables of one object, in the order of one of the 17 patterns"
    cost = LINEAR
    by_order = True  # each step conflicts with the next one or is by the same thread; see `patterns`
    total_known = True

    def __init__(self, scope: VariableScope | None = None) -> None:
        self._scope = scope
        self._automata = Automata(scope)
        self._cached_ruled_out = RuledOutByOwners(PruningFacts(), scope)  # derived from the latest facts

    @classmethod
    def make(cls, settings: CriterionSettings) -> Self:
        return cls(settings.scope)

    def cover(self, steps: Sequence[Step], entities: Entities) -> Set[Key]:
        if self._scope is not None:
            steps = list(_in_scope(steps, self._scope, entities))
        found, left = self._automata.run(steps, entities)
        return found | super().cover(left, entities) if left else found

    def begin(self, entities: Entities) -> None:
        self._entities = entities
        self._prefixes = Prefixes(entities, self._scope)
        self._reported: set[Key] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        self._prefixes.feed(steps if self._scope is None else _in_scope(steps, self._scope, self._entities))

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        self._prefixes.forget(variables)

    def collect(self, *, final: bool) -> set[Key]:
        keys = set(self._prefixes.new_keys())
        keys -= self._reported
        if not final:  # remember keys that may be found a second time (see `Prefixes.new_keys`)
            self._reported.update(key for key in keys if len(PATTERNS[key[0]].orders) > 1)
        return keys

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return clause(key, sites)

    def crossings(self, key: Key) -> Iterator[tuple[int, int]]:
        number, _, _, _, *sites = key
        for (one, here), (other, there) in combinations(zip(PATTERNS[number].parts, sites, strict=True), 2):
            if one.thread != other.thread:
                yield here, there

    def pattern(self, key: Key) -> str:
        parts = PATTERNS[key[0]].parts
        return f"{key[0]}: " + ", ".join(f"{part.thread} {verb_of(part.kind)} {part.variable}" for part in parts)

    def static_total(self, model: StaticModel) -> Total:
        """Return the number of requirements by the paper's formula for T_C."""
        return Total(sum(family.size for family in self._families(model)), STATIC)

    def total(self, model: StaticModel, facts: PruningFacts) -> Total:
        ruled_out = self._ruled_out(facts)
        families = list(self._families(model))
        possible = sum(family.count(ruled_out.of(family.owners)) for family in families)
        static = sum(family.size for family in families)
        return Total(possible, PRUNED) if possible < static else Total(static, STATIC)

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key]:
        ruled_out = self._ruled_out(facts)
        for family in self._families(model):
            yield from family.keys(ruled_out.of(family.owners))

    def infeasible(self, key: Key, facts: PruningFacts) -> str | None:
        parsed = parse_key(key)
        ruled_out = self._ruled_out(facts).of(parsed.owners)
        if ruled_out is None:
            return None
        names = [relative_name(variable, reference_of(parsed.owners)) for variable in parsed.step_variables]
        return ruled_out.why(PATTERNS[parsed.number], list(zip(names, parsed.sites, strict=True)))

    def per_pattern(self, model: StaticModel) -> dict[int, int]:
        """Map the number of each counted pattern to its static total."""
        numbers = {pattern.number: 0 for pattern in COUNTED}
        for family in self._families(model):
            numbers[family.pattern.number] += family.size
        return numbers

    def totals_per_pattern(self, model: StaticModel, facts: PruningFacts) -> dict[int, Total]:
        """Map the number of each counted pattern to its total."""
        ruled_out, static = self._ruled_out(facts), self.per_pattern(model)
        possible = dict.fromkeys(static, 0)
        for family in self._families(model):
            possible[family.pattern.number] += family.count(ruled_out.of(family.owners))
        return {
            number: Total(possible[number], PRUNED) if possible[number] < all_ else Total(all_, STATIC)
            for number, all_ in static.items()
        }

    def _ruled_out(self, facts: PruningFacts) -> RuledOutByOwners:
        if facts is not self._cached_ruled_out.facts:
            self._cached_ruled_out = RuledOutByOwners(facts, self._scope)
        return self._cached_ruled_out

    def _families(self, model: StaticModel) -> Iterator[_Family]:
        return _families(model if self._scope is None else self._scope.restrict(model))


def by_pattern(keys: Iterable[Key]) -> dict[int, int]:
    """Return the number of requirements of each counted pattern.

    >>> by_pattern([(4, "log.py:Log", "th", "", 70004, 70009, 70005)])[4]
    1
    """
    counts = Counter(key[0] for key in keys)
    return {pattern.number: counts[pattern.number] for pattern in COUNTED}


def _in_scope(steps: Iterable[Step], scope: VariableScope, entities: Entities) -> Iterator[Step]:
    """Yield the accesses that count, and all steps that are not accesses."""
    variables = entities.variables
    for step in steps:
        if step[1] not in ACCESSES or scope.has(variables[step[2]].owner, step[3]):
            yield step


def _families(model: StaticModel) -> Iterator[_Family]:
    """Yield all families in a fixed order: by owner, single variables before pairs; last, pairs of two owners."""
    owners: dict[str, list[VariableName]] = {}
    for variable in sorted(model.variables):
        owners.setdefault(variable[0], []).append(variable)
    for owner, variables in owners.items():
        choices = _choices(variables, model, reference=owner)
        alone = frozenset({owner})
        for x in variables:
            for pattern in COUNTED:
                if not pattern.pair:
                    yield _family(pattern, x, NO_VARIABLE, alone, choices)
        yield from _pairs(permutations(variables, 2), alone, choices)
    for both in map(frozenset, model.pairs_of_owners()):
        one, other = (owners[owner] for owner in sorted(both))
        choices = _choices([*one, *other], model, reference=reference_of(both))
        for pair in product(one, other):
            yield from _pairs(permutations(pair), both, choices)


def _pairs(pairs: Iterable[tuple[VariableName, ...]], owners: frozenset[str], choices: _Choices) -> Iterator[_Family]:
    for x, y in pairs:
        for pattern in COUNTED:
            if pattern.pair and (x < y or not pattern.symmetric):
                yield _family(pattern, x, y, owners, choices)


def _family(pattern: Pattern, x: VariableName, y: VariableName, owners: frozenset[str], choices: _Choices) -> _Family:
    some = [choices[x if part.variable == "x" else y, part.kind] for part in pattern.parts]
    return _Family(pattern, x, y, owners, tuple(some))


def _choices(variables: Iterable[VariableName], model: StaticModel, *, reference: str) -> _Choices:
    """Return the accesses of each kind to each variable, with variables named relative to `reference`."""
    found: _Choices = {}
    for variable in variables:
        name, accesses = relative_name(variable, reference), model.variables[variable]
        found[variable, READ] = tuple((name, site) for site in sorted(accesses.reads))
        found[variable, WRITE] = tuple((name, site) for site in sorted(accesses.writes))
    return found
