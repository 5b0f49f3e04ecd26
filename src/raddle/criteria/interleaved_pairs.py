"""What comes between two accesses of a thread: pinv and lr-inv of Lu, Jiang and Zhou (criteria 4.B and 5.B).

Two accesses of one thread to one variable with no other of its own to that variable between them are a
consecutive pair. Whatever touches the variable between them is another thread's: each such access is told apart
(pinv), or only whether one of them makes the pair unserializable (lr-inv).

Both are linear in the length of the execution. lr-inv costs the same for each access; pinv looks at the accesses of
others since the thread's last one to the variable, so it costs a little more the more threads share it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Set
from functools import reduce
from itertools import chain, compress, repeat
from operator import or_
from typing import Any, ClassVar, NamedTuple, Self

from raddle.criteria.access_segments import AccessSegments
from raddle.criteria.accesses import CUTS, NO_ACCESS, V, Variable
from raddle.criteria.lu import FactCriterion, access_part
from raddle.criteria.observed_accesses import Access
from raddle.criteria.sizes import UNSERIALIZABLE_BY
from raddle.criteria.start_join import StartJoinOrder
from raddle.criterion_settings import PINV_OCCURRENCES, CriterionSettings
from raddle.entities import AbstractVariable, Entities
from raddle.operation import ACCESSES, READ, WRITE, Kind, verb_of
from raddle.requirement import VARIABLE, Shape, word
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

MAX_LOG = 1024  # accesses in the log of a variable
NONE = "none"  # the paper's dot: nothing between the two
UNSERIALIZABLE, SERIALIZABLE = "unserializable", "serializable"


_AS_FLAGS = bytes.maketrans(b"01", b"\0\1")


def _flags(bits: int) -> bytes:
    """One for each bit, the lowest first.

    >>> list(_flags(0b110))
    [0, 1, 1]
    """
    return f"{bits:b}"[::-1].encode().translate(_AS_FLAGS)


class Logged(Variable):
    """A variable and its accesses, in order, each as a bit.

    What came between a thread's last access and now is the end of the log, all bits of it together. When the log
    gets long, every thread is told what it has missed, and it begins anew.
    """

    __slots__ = ("accesses", "begun", "bits", "log")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.bits: dict[int, int] = {}  # by access
        self.accesses: list[int] = []  # by number of the bit
        self.log: list[int] = []
        self.begun = 0  # accesses before the log

    def bit(self, access: int) -> int:
        """Of an access that is new."""
        bit = self.bits[access] = 1 << len(self.accesses)
        self.accesses.append(access)
        return bit

    def restart_log(self) -> None:
        """Forget the log, and whatever is over."""
        now = self.begun + len(self.log)
        for last_access in self.last_accesses.values():
            missed = self.log[max(0, last_access.time - self.begun) :]
            if missed:
                last_access.missed |= reduce(or_, missed)
            last_access.time = now
        self.begun = now
        self.log.clear()


class Clocked(Variable):
    """A variable with a clock that counts its accesses."""

    __slots__ = ("read", "time", "written")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.time = 0
        self.read = 0  # when it was last
        self.written = 0


class PairCriterion(FactCriterion[V]):
    """Requirements about consecutive pairs."""

    def _named(self) -> set[Key]:
        keys = super()._named()
        self.seen.pairs.update((variable, first, second) for variable, first, second, _ in keys)
        return keys

    def _note_possible(self, access_segments: AccessSegments) -> None:
        names = self._names
        for first, second in self._pairs():
            if second in access_segments.spans:  # the variable is shared
                thread, _, number, _ = names.step(second)
                kinds = self._disturbing(names.step(first)[1], names.step(second)[1])
                if not access_segments.is_parted(number, thread, first, second, kinds):
                    self.seen.calm.add((names.abstract(number), names.named(first), names.named(second)))

    @abstractmethod
    def _pairs(self) -> Iterable[tuple[int, int]]:
        """All consecutive pairs of the execution, by numbers of accesses."""

    @abstractmethod
    def _disturbing(self, first: str, second: str) -> Container[str]:
        """The kinds of access by another thread that make a difference between two accesses of these kinds."""

    def _requirements(self) -> Iterator[Key]:
        accesses, order = dict(self._by_variable()), StartJoinOrder(self.seen)
        for pair in sorted(self.seen.pairs):
            variable, first, second = pair
            remote = [
                access
                for access in accesses.get(variable, [])
                if access[0] != first[0] and order.can_part(variable, first, access, second)
            ]
            for case in self._cases(first, second, remote, calm=pair in self.seen.calm):
                yield variable, first, second, case

    @abstractmethod
    def _cases(self, first: Access, second: Access, remote: list[Access], *, calm: bool) -> Iterator[Access | str]:
        """What can be the case between the two, given the accesses of others that can come between."""

    def _describe_pair(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, first, second, _ = key
        return (
            f"thread {first[0]} {verb_of(first[1])} `{AbstractVariable(*variable)}` {self._where(first, sites)} "
            f"and next {verb_of(second[1])} it {self._where(second, sites)}"
        )


class InterleavedPair(NamedTuple):
    """A pair of accesses, and those of other threads that came between them."""

    variable: tuple[str, ...]
    first: Access
    second: Access
    accesses: list[Access | None]  # to the variable, by bit
    bits: int

    def keys(self) -> Iterator[Key]:
        others = compress(self.accesses, _flags(self.bits))
        return zip(repeat(self.variable), repeat(self.first), repeat(self.second), others)


class LazyRequirements(Set[Key]):
    """Requirements, of which there can be millions: most are made when somebody asks for them.

    >>> access = ("T1", "read", 70001, 1)
    >>> accesses = [None, ("T2", "write", 70002, 1)]
    >>> keys = LazyRequirements(set(), [InterleavedPair(("m.py", "", "n"), access, access, accesses, 0b10)])
    >>> len(keys), [key[3] for key in keys]
    (1, [('T2', 'write', 70002, 1)])
    """

    def __init__(self, keys: Set[Key], pairs: list[InterleavedPair]) -> None:
        self._keys = keys
        self._lazy_pairs = pairs  # no requirement is in two of them, or among the others

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> set[Any]:
        return set(it)

    def __contains__(self, key: object) -> bool:
        return any(key == known for known in self)

    def __iter__(self) -> Iterator[Key]:
        return chain(self._keys, chain.from_iterable(map(InterleavedPair.keys, self._lazy_pairs)))

    def __len__(self) -> int:
        return len(self._keys) + sum(one.bits.bit_count() for one in self._lazy_pairs)


class PairInterleave(PairCriterion[Logged]):
    """Criterion 4.B."""

    name: ClassVar[str] = "pinv"
    shape: ClassVar[Shape] = Shape(
        VARIABLE,
        access_part("access"),
        access_part("next access of the thread"),
        access_part('access of another thread or "none"'),
    )
    summary: ClassVar[str] = (
        "a certain access by another thread, or none, comes between two consecutive accesses of a thread"
    )
    points: ClassVar[frozenset[Kind]] = frozenset({READ})  # also where all three only read
    _variable = Logged
    _no_access_word: ClassVar[str] = NONE

    def __init__(self, *, occurrences: int = PINV_OCCURRENCES) -> None:
        super().__init__(occurrences=occurrences)

    @classmethod
    def make(cls, settings: CriterionSettings) -> Self:
        return cls(occurrences=settings.pinv_occurrences)

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._between: dict[tuple[int, int], int] = {}  # what came between two accesses: bits
        self._new: dict[tuple[int, int], int] = {}  # those of them that were not given out yet
        self._alone: set[tuple[int, int]] = set()  # between which nothing came
        self._reported_pairs: dict[
            int, list[InterleavedPair]
        ] = {}  # by variable: what was given out, while it has its name for itself

    def feed(self, steps: Iterable[Step]) -> None:
        groups, new_group, boundary = self._names.groups, self._names.new_group, self._names.boundary
        between, new, alone, fresh = self._between, self._new, self._alone, self._fresh
        for step in steps:
            kind = step[1]
            if kind in ACCESSES:
                group = groups.get(step) or new_group(step)
                access = group.access
                if access != group.last:
                    group.access = access = access + 1
                variable, last_access = group.variable, group.last_access
                log, first = variable.log, last_access.number
                if first != NO_ACCESS:
                    interleaved = last_access.missed
                    since = log[last_access.time - variable.begun :]
                    if since:
                        interleaved |= reduce(or_, since)
                    pair = first, access
                    if not interleaved:
                        if pair not in alone:
                            alone.add(pair)
                            fresh.append((first, access, NO_ACCESS))
                    else:
                        known = between.get(pair, 0)
                        if interleaved & ~known:
                            between[pair] = known | interleaved
                            new[pair] = new.get(pair, 0) | interleaved & ~known
                log.append(variable.bits.get(access) or variable.bit(access))
                if len(log) >= MAX_LOG:
                    variable.restart_log()
                last_access.number = access
                last_access.time = variable.begun + len(log)
                last_access.missed = 0
            elif kind in CUTS:
                boundary(step)

    def collect(self, *, final: bool) -> Set[Key]:
        self._lazy_pairs: list[InterleavedPair] = []
        return LazyRequirements(super().collect(final=final), self._lazy_pairs)

    def _named(self) -> set[Key]:
        """As for every criterion of facts, but pair by pair: a pair can have met hundreds of accesses.

        Two pairs have no requirement in common unless their variables have the same name; only those are compared.
        """
        names, waiting = self._names, {}
        keys = super()._named()
        namesakes = Counter(map(names.abstract, names.variables))
        known: dict[int, tuple[tuple[str, ...], list[Access | None], int]] = {}
        for pair, bits in self._new.items():
            first, second = map(names.access, pair)
            if first is None or second is None:
                waiting[pair] = bits
                continue
            number = names.step(pair[0])[2]
            if number not in known:
                accesses = [names.access(access) for access in names.variables[number].accesses]
                unnamed = sum(1 << bit for bit, access in enumerate(accesses) if access is None)
                # As a plain tuple: then the collector of garbage leaves the keys alone, of which there can be millions.
                known[number] = tuple(names.abstract(number)), accesses, unnamed
            variable, accesses, unnamed = known[number]
            if bits & unnamed:
                waiting[pair] = bits & unnamed
            self.seen.pairs.add((names.abstract(number), first, second))
            interleaved = InterleavedPair(variable, first, second, accesses, bits & ~unnamed)
            if namesakes[names.abstract(number)] == 1:
                self._lazy_pairs.append(interleaved)
                self._reported_pairs.setdefault(number, []).append(interleaved)
            else:
                keys.update(interleaved.keys())
        for number in [number for number in self._reported_pairs if namesakes[names.abstract(number)] > 1]:
            for interleaved in self._reported_pairs.pop(number):
                self._reported.update(interleaved.keys())
        self._new = waiting
        return keys

    def _pairs(self) -> Iterable[tuple[int, int]]:
        return self._alone | self._between.keys()

    def _disturbing(self, first: str, second: str) -> Container[str]:
        return ACCESSES

    def _cases(self, first: Access, second: Access, remote: list[Access], *, calm: bool) -> Iterator[Access | str]:
        if calm:
            yield NONE
        yield from remote

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, first, second, other = key
        if other == NONE:
            return f"{self._describe_pair(key, sites)} with no access by another thread in between"
        return (
            f"thread {other[0]} {verb_of(other[1])} `{AbstractVariable(*variable)}` {self._where(other, sites)} "
            f"between thread {first[0]}'s {first[1]} {self._where(first, sites)} "
            f"and its next access, the {second[1]} {self._where(second, sites)}"
        )


class LocalOrRemoteInterleave(PairCriterion[Clocked]):
    """Criterion 5.B."""

    name: ClassVar[str] = "lr-inv"
    by_order: ClassVar[bool] = True
    shape: ClassVar[Shape] = Shape(
        VARIABLE,
        access_part("access"),
        access_part("next access of the thread"),
        word('"unserializable" or "serializable"'),
    )
    summary: ClassVar[str] = (
        "an access by another thread makes two consecutive accesses of a thread unserializable, or none does"
    )
    _variable = Clocked

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._bad: set[tuple[int, int]] = set()
        self._good: set[tuple[int, int]] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        groups, new_group, boundary = self._names.groups, self._names.new_group, self._names.boundary
        bad, good, fresh = self._bad, self._good, self._fresh
        for step in steps:
            kind = step[1]
            if kind in ACCESSES:
                group = groups.get(step) or new_group(step)
                access = group.access
                if access != group.last:
                    group.access = access = access + 1
                variable, last_access, writes = group.variable, group.last_access, kind == WRITE
                if last_access.number != NO_ACCESS:
                    pair = (last_access.number, access)
                    # Whatever came after the pair's first is remote. See UNSERIALIZABLE_BY: between two writes
                    # a read does it, in all other cases a write.
                    culprit = variable.read if writes and last_access.wrote else variable.written
                    if culprit > last_access.time:
                        if pair not in bad:
                            bad.add(pair)
                            fresh.append((*pair, UNSERIALIZABLE))
                    elif pair not in good:
                        good.add(pair)
                        fresh.append((*pair, SERIALIZABLE))
                variable.time = last_access.time = time = variable.time + 1
                if writes:
                    variable.written = time
                else:
                    variable.read = time
                last_access.number, last_access.wrote = access, writes
            elif kind in CUTS:
                boundary(step)

    def _pairs(self) -> Iterable[tuple[int, int]]:
        return self._good | self._bad

    def _disturbing(self, first: str, second: str) -> Container[str]:
        return (UNSERIALIZABLE_BY[first, second],)

    def _cases(self, first: Access, second: Access, remote: list[Access], *, calm: bool) -> Iterator[Access | str]:
        if calm:
            yield SERIALIZABLE
        if any(access[1] == UNSERIALIZABLE_BY[first[1], second[1]] for access in remote):
            yield UNSERIALIZABLE

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        _, first, second, verdict = key
        culprit = f"a {UNSERIALIZABLE_BY[first[1], second[1]]} by another thread in between ({verdict})"
        return f"{self._describe_pair(key, sites)} {'with' if verdict == UNSERIALIZABLE else 'without'} {culprit}"
