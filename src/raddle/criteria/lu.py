"""Base classes for the criteria of Lu, Jiang and Zhou.

The paper orders the criteria by subsumption: complete coverage of `all` implies complete coverage of `tpair`, which
implies that of `svar`, which implies that of the other four. The paper omits the proof, and the last implication is
wrong if three threads access a variable. `svar` considers two threads at a time. But the write whose value a read gets,
and the accesses that come between two others, depend on all threads. Suppose that threads 1 and 3 each write a variable
and thread 2 reads it. The executions w1 r2 w3 and w3 r2 w1 completely cover `tpair` and `svar`, but the read of the
initial value is missing. The implication holds for variables that only two threads access. `def-use` always implies
`lr-def`. `pinv` implies `lr-inv` if every pair can occur without a remote access in between. Otherwise the implication
can fail. Suppose a thread reads x twice, synchronization makes a second thread read x in between, and a third thread
may write x in between or elsewhere. An execution in which both accesses come in between completely covers `pinv`,
because the pair never occurs without an access in between. `lr-inv` still lacks the pair without a write in between.
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
    """A criterion of Lu, Jiang and Zhou.

    A formula gives the total for the observed accesses, `seen`, which accumulate from one execution to the next.
    `total` and `requirements` refer to all observed accesses. To include executions that another instance measured, add
    its `seen`.
    """

    family: ClassVar[str] = "Lu et al."
    paper: ClassVar[str] = "S. Lu, W. Jiang, Y. Zhou: A Study of Interleaving Coverage Criteria. ESEC/FSE 2007"
    total_known: ClassVar[bool] = True
    _no_access_word: ClassVar[str] = ""  # the word for NO_ACCESS in a key

    def __init__(self, *, occurrences: int = OCCURRENCES) -> None:
        if occurrences < 1:
            raise ValueError(f"the occurrence limit must be at least 1, not {occurrences}")
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
        """Handle the start or first step of a second thread; a single thread has made all earlier accesses."""

    def _cut(self, thread: int) -> None:
        """Handle the end of a thread's segment (see `raddle.criteria.segments`)."""

    @staticmethod
    @abstractmethod
    def _variable(number: int) -> V:
        """Return the state that the criterion keeps for a variable."""

    def seen_total(self) -> Total:
        """Return the total, an upper bound, that the formula gives for the accesses of all measured executions."""
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
    """A criterion whose requirements are single facts (variable, part, ...), where each part is an access or a word.

    While steps are processed, a fact contains access numbers instead of names. A new fact is added to `_fresh`, and
    reported once its variable is shared and its threads have labels.
    """

    cost: ClassVar[str] = LINEAR

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._fresh: list[Fact] = []
        self._reported: set[Key] = set()  # facts about two variables can have the same key
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
        """Return the keys of the facts that can be reported now, and record in `seen` what else those facts show."""
        keys, self._fresh = self._names.keys(self._fresh)
        return keys

    @abstractmethod
    def _note_possible(self, access_segments: AccessSegments) -> None:
        """Record, at the end of an execution, all requirements that it shows to be possible."""

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key] | None:
        return self._requirements() if self.seen.executions else None

    @abstractmethod
    def _requirements(self) -> Iterator[Key]:
        """Yield all requirements that `seen_total` counts, in a fixed order."""

    def _by_variable(self) -> Iterator[tuple[AbstractVariable, list[Access]]]:
        accesses: dict[AbstractVariable, list[Access]] = {}
        for variable, access in sorted(self.seen.accesses):
            accesses.setdefault(variable, []).append(access)
        yield from accesses.items()

    def crossings(self, key: Key) -> Iterator[tuple[int, int]]:
        accesses = [part for part in key[1:] if isinstance(part, tuple)]  # the other parts are words
        for (thread, _, here, _), (other, _, there, _) in combinations(accesses, 2):
            if thread != other:
                yield here, there

    def _where(self, access: Access, sites: Mapping[int, Site]) -> str:
        """Return where an access happened, as in "at log.py:4 (3rd time)"."""
        _, _, site, occurrence = access
        place = where(site, sites)
        if occurrence == 1:
            return place
        return f"{place} ({ordinal(occurrence)} time{' or later' if occurrence == self.occurrences else ''})"


def access_part(name: str) -> Part:
    """Return the shape of an access in a key (see `raddle.criteria.accesses`); a word may replace the access."""
    return Group(name, (THREAD, word("kind"), SITE, word("occurrence")))
