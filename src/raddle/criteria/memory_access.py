"""MAP-coverage: the memory-access patterns that occurred (Wang, Zhao, Liu, Sun, Chen, Lin, ASE 2019).

A requirement is a tuple (pattern, owner, x, y, site, site, ...) with a site for each step of the pattern. For patterns
of one variable, y is "". A requirement is covered if the steps happened in this order, possibly with other steps in
between (Algorithm 1). It matters whether two steps are by the same thread. It does not matter which threads and which
object are involved.

The paper leaves some details open. raddle handles them as follows:

* The total follows the paper's formula for T_C, applied to each pair of variables. `raddle.criteria.patterns` explains
  how requirements are identified so that the total is exact. Pattern 11 is counted as pattern 10, and
  patterns 15 to 17 are counted as pattern 13.
* Pairs consist of variables of one object. The paper's V is the set of variables of one class. Across a whole program,
  most pairs would consist of unrelated variables, and T_C would grow quadratically until percentages became
  meaningless.
* Infeasible patterns are pruned, based on the executions observed so far (`raddle.criteria.ruled_out`). A later
  execution can show that a pruned pattern is feasible after all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations, permutations, product
from math import prod
from typing import NamedTuple

from raddle.criteria.automaton import Automata
from raddle.criteria.base import LINEAR, Criterion
from raddle.criteria.pattern_words import clause
from raddle.criteria.patterns import COUNTED, PATTERNS, Part, Pattern
from raddle.criteria.prefixes import Prefixes
from raddle.criteria.ruled_out import RuledOut
from raddle.entities import Entities
from raddle.operation import READ, verb_of
from raddle.pruning_facts import Access, PruningFacts
from raddle.requirement import SITE, Role, Shape, Single, word
from raddle.site import Site
from raddle.static_model import Accesses, StaticModel
from raddle.step import Step
from raddle.tally import PRUNED, STATIC, Key, Total


class _Family(NamedTuple):
    """All requirements with the same pattern and variables."""

    pattern: Pattern
    owner: str
    x: str
    y: str
    choices: tuple[tuple[Access, ...], ...]  # the possible accesses for each step, in order

    @property
    def size(self) -> int:
        return prod(map(len, self.choices))

    def keys(self, ruled_out: RuledOut | None) -> Iterator[Key]:
        """Yield the requirements that are not ruled out."""
        chosen = product(*self.choices) if ruled_out is None else ruled_out.possible(self.pattern, self.choices)
        for accesses in chosen:
            yield (self.pattern.number, self.owner, self.x, self.y, *[site for _, site in accesses])

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

    def __init__(self) -> None:
        self._automata = Automata()
        # The latest facts, and the `RuledOut` derived from them for each owner.
        self._cached_ruled_out: tuple[PruningFacts, dict[str, RuledOut]] = (PruningFacts(), {})

    def cover(self, steps: Sequence[Step], entities: Entities) -> Set[Key]:
        found, left = self._automata.run(steps, entities)
        return found | super().cover(left, entities) if left else found

    def begin(self, entities: Entities) -> None:
        self._prefixes = Prefixes(entities)
        self._reported: set[Key] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        self._prefixes.feed(steps)

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
        return Total(sum(family.size for family in _families(model)), STATIC)

    def total(self, model: StaticModel, facts: PruningFacts) -> Total:
        ruled_out_by_owner = self._ruled_out_by_owner(facts)
        families = list(_families(model))
        possible = sum(family.count(ruled_out_by_owner.get(family.owner)) for family in families)
        static = sum(family.size for family in families)
        return Total(possible, PRUNED) if possible < static else Total(static, STATIC)

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key]:
        ruled_out_by_owner = self._ruled_out_by_owner(facts)
        for family in _families(model):
            yield from family.keys(ruled_out_by_owner.get(family.owner))

    def infeasible(self, key: Key, facts: PruningFacts) -> str | None:
        number, owner, x, y, *sites = key
        ruled_out = self._ruled_out_by_owner(facts).get(owner)
        if ruled_out is None:
            return None
        pattern = PATTERNS[number]
        names = [x if part.variable == "x" else y for part in pattern.parts]
        return ruled_out.why(pattern, list(zip(names, sites, strict=True)))

    def per_pattern(self, model: StaticModel) -> dict[int, int]:
        """Map the number of each counted pattern to its static total."""
        numbers = {pattern.number: 0 for pattern in COUNTED}
        for family in _families(model):
            numbers[family.pattern.number] += family.size
        return numbers

    def totals_per_pattern(self, model: StaticModel, facts: PruningFacts) -> dict[int, Total]:
        """Map the number of each counted pattern to its total."""
        ruled_out_by_owner, static = self._ruled_out_by_owner(facts), self.per_pattern(model)
        possible = dict.fromkeys(static, 0)
        for family in _families(model):
            possible[family.pattern.number] += family.count(ruled_out_by_owner.get(family.owner))
        return {
            number: Total(possible[number], PRUNED) if possible[number] < all_ else Total(all_, STATIC)
            for number, all_ in static.items()
        }

    def _ruled_out_by_owner(self, facts: PruningFacts) -> dict[str, RuledOut]:
        if facts is not self._cached_ruled_out[0]:
            self._cached_ruled_out = facts, {owner: RuledOut(known) for owner, known in facts.owners.items()}
        return self._cached_ruled_out[1]


def by_pattern(keys: Iterable[Key]) -> dict[int, int]:
    """Return the number of requirements of each counted pattern.

    >>> by_pattern([(4, "log.py:Log", "th", "", 70004, 70009, 70005)])[4]
    1
    """
    counts = Counter(key[0] for key in keys)
    return {pattern.number: counts[pattern.number] for pattern in COUNTED}


def _families(model: StaticModel) -> Iterator[_Family]:
    """Yield all families in a fixed order: by owner, single variables before pairs."""
    owners: dict[str, dict[str, Accesses]] = {}
    for (owner, name), accesses in sorted(model.variables.items()):
        owners.setdefault(owner, {})[name] = accesses
    for owner, variables in owners.items():
        for x in variables:
            for pattern in COUNTED:
                if not pattern.pair:
                    yield _family(pattern, owner, x, "", variables)
        for x, y in permutations(variables, 2):
            for pattern in COUNTED:
                if pattern.pair and (x < y or not pattern.symmetric):
                    yield _family(pattern, owner, x, y, variables)


def _family(pattern: Pattern, owner: str, x: str, y: str, variables: Mapping[str, Accesses]) -> _Family:
    def choices(part: Part) -> tuple[Access, ...]:
        name = x if part.variable == "x" else y
        sites = variables[name].reads if part.kind == READ else variables[name].writes
        return tuple((name, site) for site in sorted(sites))

    return _Family(pattern, owner, x, y, tuple(map(choices, pattern.parts)))
