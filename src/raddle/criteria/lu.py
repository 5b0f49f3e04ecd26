"""What the criteria of Lu, Jiang and Zhou have in common.

The paper orders them: complete coverage by `all` implies the same by `tpair`, that by `svar`, and that by the four
others. It omits the proof, and the last step is wrong where three threads touch a variable: `svar` looks at two
threads at a time, but which write a read reads, and whether nothing comes between two accesses, depends on all.
If one writes, one reads, and one writes, w1 r2 w3 and w3 r2 w1 are complete for `tpair` and `svar`, and never is the
initial value read. It holds for variables of two threads; and `def-use` always implies `lr-def`. `pinv` implies
`lr-inv` if every pair can go undisturbed. Else it need not: a thread reads x twice, synchronization makes another one
read it in between, and a third one writes it there or elsewhere. One execution in which both come between is complete
for `pinv`, as the pair never goes undisturbed, and `lr-inv` still lacks the pair without a write in between.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Set
from itertools import combinations
from typing import Any, ClassVar, Generic

from raddle.criteria.access_segments import AccessSegments
from raddle.criteria.accesses import OCCURRENCES, AccessNames, Fact, V
from raddle.criteria.base import LINEAR, Criterion
from raddle.criteria.observed_accesses import Access, ObservedAccesses
from raddle.criteria.sizes import total_seen
from raddle.entities import AbstractVariable, Entities
from raddle.pruning_facts import PruningFacts
from raddle.requirement import SITE, THREAD, Group, Part, word
from raddle.site import Site, where
from raddle.static_model import StaticModel
from raddle.tally import Key, Total
from raddle.wording import ordinal


class LuCriterion(Criterion, Generic[V]):
    """A criterion of the family.

    Its total is a formula's value for what the executions showed, `seen`, which is kept from one execution to
    the next. `total` and `requirements` speak of that; to have them for executions that others watched, add to
    it what they saw.
    """

    family: ClassVar[str] = "Lu et al."
    paper: ClassVar[str] = "S. Lu, W. Jiang, Y. Zhou: A Study of Interleaving Coverage Criteria. ESEC/FSE 2007"
    total_known: ClassVar[bool] = True
    _no_access_word: ClassVar[str] = ""  # the word for no access

    def __init__(self, *, occurrences: int = OCCURRENCES) -> None:
        if occurrences < 1:
            raise ValueError(f"an access occurs at least once, so {occurrences} is not a most of occurrences")
        self.occurrences = occurrences
        self.seen = ObservedAccesses()
        self._names = AccessNames(
            occurrences=occurrences,
            no_access_word=self._no_access_word,
            variable=self._variable,
            concurrent=self._end_initial_state,
            cut=self._cut,
        )
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        self._names.begin(entities)

    def _end_initial_state(self) -> None:
        """A second thread is started, or seen: what was done until now, one thread did alone."""

    def _cut(self, thread: int) -> None:
        """A segment of a thread ends, see `raddle.criteria.segments`."""

    @staticmethod
    @abstractmethod
    def _variable(number: int) -> V:
        """What the criterion remembers of a variable."""

    def seen_total(self) -> Total:
        """By formula, from the accesses in all executions that were watched: more than there are."""
        return total_seen(self.name, self.seen)

    def total(self, model: StaticModel, facts: PruningFacts) -> Total:
        return self.seen_total()

    def static_total(self, model: StaticModel) -> Total:
        return self.seen_total()

    def extra(self) -> ObservedAccesses:
        return ObservedAccesses(occurrences=self.occurrences) + self.seen

    def restore(self, extra: ObservedAccesses) -> None:
        self.seen = extra
        self.occurrences = extra.occurrences or self.occurrences

    @classmethod
    def read_extra(cls, data: Any) -> ObservedAccesses:
        return ObservedAccesses.from_json(data)


class FactCriterion(LuCriterion[V]):
    """Requirements that are single facts: (variable, part, ...), each part an access or a word.

    While steps come, a fact has numbers of accesses in place of names; it is put into `_fresh` when it is new.
    It is given out when its variable is shared and its threads have labels.
    """

    cost: ClassVar[str] = LINEAR

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._fresh: list[Fact] = []
        self._reported: set[Key] = set()  # two variables can give the same key, at different times
        self._collected = False

    def collect(self, *, final: bool) -> Set[Key]:
        self._names.settle(final=final)
        keys = self._named()
        if self._reported:
            keys -= self._reported
        if not final:
            self._reported |= keys
        self._names.note(self.seen.accesses)
        if final:
            self._names.note_order(self.seen)
            self._note_possible(AccessSegments(self._names))
        self.seen.executions += not self._collected
        self._collected = True
        return keys

    def _named(self) -> set[Key]:
        """The facts that can be given out now, as keys. What they show beyond their accesses is noted."""
        keys, self._fresh = self._names.keys(self._fresh)
        return keys

    @abstractmethod
    def _note_possible(self, access_segments: AccessSegments) -> None:
        """The execution is over: note what it showed to be possible, though perhaps not in this order."""

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key] | None:
        return self._requirements() if self.seen.executions else None

    @abstractmethod
    def _requirements(self) -> Iterator[Key]:
        """All that `seen_total` counts, in a fixed order."""

    def _by_variable(self) -> Iterator[tuple[AbstractVariable, list[Access]]]:
        accesses: dict[AbstractVariable, list[Access]] = {}
        for variable, access in sorted(self.seen.accesses):
            accesses.setdefault(variable, []).append(access)
        yield from accesses.items()

    def crossings(self, key: Key) -> Iterator[tuple[int, int]]:
        accesses = [part for part in key[1:] if isinstance(part, tuple)]  # the others are words
        for (thread, _, here, _), (other, _, there, _) in combinations(accesses, 2):
            if thread != other:
                yield here, there

    def _where(self, access: Access, sites: Mapping[int, Site]) -> str:
        """ "at log.py:4 (3rd time)"."""
        _, _, site, occurrence = access
        place = where(site, sites)
        if occurrence == 1:
            return place
        return f"{place} ({ordinal(occurrence)} time{' or later' if occurrence == self.occurrences else ''})"


def access_part(name: str) -> Part:
    """Return a part that is an access, as `raddle.criteria.accesses` names it, or a word for none."""
    return Group(name, (THREAD, word("kind"), SITE, word("occurrence")))
