"""Complete orders of accesses: `all`, `tpair` and `svar` of Lu, Jiang and Zhou (criteria 1 to 3).

A requirement of `all` is the order of all accesses to shared variables in an execution. For `tpair`, it is the order of
two threads' accesses, and for `svar` the order of two threads' accesses to one variable. So the whole execution is
stored (four bytes per access), and nothing is covered before its end. For `all`, the running time is linear in the
length of the execution. For `tpair` and `svar`, the running time is proportional to the length times the number of
threads.

An order can have any length. Its key contains the number of accesses, a digest of the whole order, and the first
accesses in human-readable form. The digest is computed from access names (see `raddle.criteria.accesses`). No
information is lost if several accesses by a thread share a name: if each thread makes the same accesses in two
interleavings, the interleavings can differ only in how the accesses of different threads are ordered.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from typing import ClassVar

from raddle.criteria.accesses import CUTS, OCCURRENCES, Variable
from raddle.criteria.base import WHOLE
from raddle.criteria.lu import LuCriterion
from raddle.criteria.observed_accesses import Access
from raddle.entities import AbstractVariable, Entities
from raddle.operation import ACCESSES, READ, Kind, verb_of
from raddle.requirement import SITE, THREAD, VARIABLE, Group, Several, Shape, word
from raddle.site import Site, where
from raddle.step import Step
from raddle.tally import Key

MAX_LISTED = 12  # maximum number of accesses that a key lists, from the beginning of the order
_ORDER = (
    word("number of accesses and digest of their order"),
    Several("first accesses", Group("access", (THREAD, word("kind"), word("variable"), SITE))),
)


class OrderCriterion(LuCriterion[Variable]):
    """A criterion whose requirements are orders of accesses."""

    cost: ClassVar[str] = WHOLE
    points: ClassVar[frozenset[Kind]] = frozenset({READ})  # the order of two reads also matters
    _variable = Variable

    def __init__(self, *, occurrences: int = OCCURRENCES) -> None:
        self._known: dict[tuple[AbstractVariable, Access], bytes] = {}
        super().__init__(occurrences=occurrences)

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._log = array("I")  # the access numbers, in the order in which the accesses happened
        # For each thread, the length of the log each time it started or joined a thread.
        self._ends: dict[int, list[int]] = {}

    def feed(self, steps: Iterable[Step]) -> None:
        groups, new_group, boundary = self._names.groups, self._names.new_group, self._names.boundary
        log = self._log.append
        for step in steps:
            kind = step[1]
            if kind in ACCESSES:
                group = groups.get(step) or new_group(step)
                access = group.access
                if access != group.last:
                    group.access = access = access + 1
                log(access)
            elif kind in CUTS:
                boundary(step)

    def collect(self, *, final: bool) -> set[Key]:
        if not final:
            return set()
        self._names.settle(final=True)
        self._digests = {access: self._digest(variable, access) for variable, access in self._names.of_shared()}
        self.seen.executions += 1
        self._used: set[tuple[int, int]] = set()
        keys = set(self._orders([place for place, access in enumerate(self._log) if access in self._digests]))
        self._names.note_clocks(self.seen, self._used)
        self.begin(Entities())
        return keys

    def _cut(self, thread: int) -> None:
        self._ends.setdefault(thread, []).append(len(self._log))

    @abstractmethod
    def _orders(self, places: Sequence[int]) -> Iterator[Key]:
        """Yield the orders that an execution covers, and record in `seen` the accesses that occurred.

        `places` contains the log indices of all accesses to shared variables.
        """

    def _digest(self, variable: AbstractVariable, access: int) -> bytes:
        name = self._names.named(access)
        digest = self._known.get((variable, name))
        if digest is None:
            text = "\n".join(map(str, (*variable, *name)))
            digest = self._known[variable, name] = blake2b(text.encode(), digest_size=8).digest()
        return digest

    def _order(self, places: Iterable[int]) -> str:
        """Return the number of accesses and a digest of their order."""
        digests = b"".join([self._digests[self._log[place]] for place in places])
        return f"{len(digests) // 8}:{blake2b(digests, digest_size=16).hexdigest()}"

    def _listed(self, places: Iterable[int]) -> Key:
        names, log = self._names, self._log
        named = ((names.named(log[place]), str(names.abstract(names.step(log[place])[2]))) for place in places)
        return tuple((label, kind, variable, site) for (label, kind, site, _), variable in named)

    def _line(self, variable: AbstractVariable | None, label: str, places: Sequence[int]) -> None:
        thread = self._names.step(self._log[places[0]])[0]
        ends = self._ends.get(thread, [])
        profile = tuple(Counter(bisect_right(ends, place) for place in places).items())
        self._used.update((thread, segment) for segment, _ in profile)
        self.seen.lines.add((variable, label, profile, self._order(places).partition(":")[2]))

    def _by_label(self, places: Sequence[int]) -> dict[str, list[int]]:
        """Return the places of each thread's accesses, sorted by thread label."""
        by_thread: dict[int, list[int]] = {}
        for place in places:
            by_thread.setdefault(self._names.step(self._log[place])[0], []).append(place)
        labeled = {self._names.named(self._log[own[0]])[0]: own for own in by_thread.values()}
        return dict(sorted(labeled.items()))

    def _couples(self, places: Sequence[int], variable: AbstractVariable | None) -> Iterator[Key]:
        """Yield, for each pair of threads, the order of their accesses."""
        by_label = self._by_label(places)
        for label, own in by_label.items():
            self._line(variable, label, own)
        for one, other in combinations(by_label, 2):
            both = sorted(by_label[one] + by_label[other])  # merging two sorted runs takes linear time
            yield one, other, self._order(both), self._listed(both[:MAX_LISTED])

    def home(self, key: Key) -> int:
        return 0  # an order does not belong to a single file


class All(OrderCriterion):
    """ALL, criterion 1 of the paper."""

    name: ClassVar[str] = "all"
    shape: ClassVar[Shape] = Shape(*_ORDER)
    summary: ClassVar[str] = "all accesses to shared variables happen in a particular order"

    def _orders(self, places: Sequence[int]) -> Iterator[Key]:
        if places:
            by_label = self._by_label(places)
            self.seen.meetings.add(tuple(by_label))
            for label, own in by_label.items():
                self._line(None, label, own)
            yield self._order(places), self._listed(places[:MAX_LISTED])

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return f"all accesses to shared variables happen in this order: {_describe_order(sites, *key)}"


class ThreadPair(OrderCriterion):
    """TPair, criterion 2 of the paper."""

    name: ClassVar[str] = "tpair"
    shape: ClassVar[Shape] = Shape(THREAD, THREAD, *_ORDER)
    summary: ClassVar[str] = "all accesses of two threads to shared variables happen in a particular order"

    def _orders(self, places: Sequence[int]) -> Iterator[Key]:
        if places:
            self.seen.meetings.add(tuple(self._by_label(places)))
            yield from self._couples(places, None)

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        one, other, *order = key
        subject = f"the accesses of threads {one} and {other} to shared variables"
        return f"{subject} happen in this order: {_describe_order(sites, *order)}"


class SingleVariable(OrderCriterion):
    """SVar, criterion 3 of the paper."""

    name: ClassVar[str] = "svar"
    shape: ClassVar[Shape] = Shape(VARIABLE, THREAD, THREAD, *_ORDER)
    summary: ClassVar[str] = "all accesses of two threads to one shared variable happen in a particular order"

    def _orders(self, places: Sequence[int]) -> Iterator[Key]:
        by_variable: dict[int, list[int]] = {}
        for place in places:
            by_variable.setdefault(self._names.step(self._log[place])[2], []).append(place)
        for number, own in by_variable.items():
            variable = self._names.abstract(number)
            for key in self._couples(own, variable):
                yield variable, *key

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, one, other, *order = key
        subject = f"the accesses of threads {one} and {other} to `{AbstractVariable(*variable)}`"
        return f"{subject} happen in this order: {_describe_order(sites, *order)}"

    def home(self, key: Key) -> int:
        site: int = key[4][0][3]
        return site


def _describe_order(sites: Mapping[int, Site], order: str, beginning: Key) -> str:
    number, _, digest = order.partition(":")
    listed = ", ".join(
        f"{label} {verb_of(kind)} `{name}` {where(site, sites)}" for label, kind, name, site in beginning
    )
    more = int(number) - len(beginning)
    return f"{listed}{f', and {more:,} more' if more else ''} (order {digest[:8]})"
