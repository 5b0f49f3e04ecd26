"""Accesses between two accesses by a thread: `pinv` and `lr-inv` of Lu, Jiang and Zhou (criteria 4.B and 5.B).

Two accesses by a thread to a variable form a consecutive pair if the thread does not access the variable in between.
All accesses in between are by other threads. The criterion `pinv` distinguishes each of them, whereas `lr-inv` only
distinguishes whether one of them makes the pair unserializable.

Both take time linear in the length of the execution. `lr-inv` takes constant time per access. At each access, `pinv`
processes all accesses that other threads have made since the thread's own last access to the variable. So `pinv` is
slower if many threads share a variable.
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

MAX_LOG = 1024  # number of accesses in a variable's log before the log restarts
NONE = "none"  # the paper's dot: no access in between
UNSERIALIZABLE, SERIALIZABLE = "unserializable", "serializable"


_AS_FLAGS = bytes.maketrans(b"01", b"\0\1")


def _flags(bits: int) -> bytes:
    """Return a byte, 0 or 1, for each bit of the integer, starting with the lowest bit.

    >>> list(_flags(0b110))
    [0, 1, 1]
    """
    return f"{bits:b}"[::-1].encode().translate(_AS_FLAGS)


class Logged(Variable):
    """A variable with a log of its accesses, each represented by a bit.

    The bits logged since a thread's last access represent the accesses that the thread has missed: those that other
    threads have made in the meantime. When the log reaches `MAX_LOG` entries, the missed accesses are stored with each
    thread's last access, and the log restarts.
    """

    __slots__ = ("accesses", "begun", "bits", "log")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.bits: dict[int, int] = {}  # maps each access to its bit
        self.accesses: list[int] = []  # indexed by bit position
        self.log: list[int] = []
        self.begun = 0  # number of accesses before the start of the log

    def bit(self, access: int) -> int:
        """Assign a bit to a new access and return it."""
        bit = self.bits[access] = 1 << len(self.accesses)
        self.accesses.append(access)
        return bit

    def restart_log(self) -> None:
        """Extend each thread's `missed` by the accesses logged since the thread's last access; then clear the log."""
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
        self.read = 0  # time of the last read
        self.written = 0  # time of the last write


class PairCriterion(FactCriterion[V]):
    """A criterion about consecutive pairs."""

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
                if not access_segments.is_always_separated(number, thread, first, second, kinds):
                    self.seen.calm.add((names.abstract(number), names.named(first), names.named(second)))

    @abstractmethod
    def _pairs(self) -> Iterable[tuple[int, int]]:
        """Return all consecutive pairs of the execution, as pairs of access numbers."""

    @abstractmethod
    def _disturbing(self, first: str, second: str) -> Container[str]:
        """Return the kinds of remote access that matter between two local accesses of these kinds."""

    def _requirements(self) -> Iterator[Key]:
        accesses, order = dict(self._by_variable()), StartJoinOrder(self.seen)
        for pair in sorted(self.seen.pairs):
            variable, first, second = pair
            remote = [
                access
                for access in accesses.get(variable, [])
                if access[0] != first[0] and order.can_come_between(variable, first, access, second)
            ]
            for case in self._cases(first, second, remote, calm=pair in self.seen.calm):
                yield variable, first, second, case

    @abstractmethod
    def _cases(self, first: Access, second: Access, remote: list[Access], *, calm: bool) -> Iterator[Access | str]:
        """Yield the last part of each of the pair's requirements, given the remote accesses that can come in between.

        `calm` is True if the pair can occur without a disturbing access in between (see `_disturbing`).
        """

    def _describe_pair(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, first, second, _ = key
        return (
            f"thread {first[0]} {verb_of(first[1])} `{AbstractVariable(*variable)}` {self._where(first, sites)} "
            f"and next {verb_of(second[1])} it {self._where(second, sites)}"
        )


class InterleavedPair(NamedTuple):
    """A consecutive pair, and the accesses by other threads that came in between."""

    variable: tuple[str, ...]
    first: Access
    second: Access
    accesses: list[Access | None]  # accesses to the variable, by bit position
    bits: int  # mask of the accesses in between

    def keys(self) -> Iterator[Key]:
        others = compress(self.accesses, _flags(self.bits))
        return zip(repeat(self.variable), repeat(self.first), repeat(self.second), others)


class LazyRequirements(Set[Key]):
    """A set of requirements, most of which are created on demand because there can be millions.

    >>> access = ("T1", "read", 70001, 1)
    >>> accesses = [None, ("T2", "write", 70002, 1)]
    >>> keys = LazyRequirements(set(), [InterleavedPair(("m.py", "", "n"), access, access, accesses, 0b10)])
    >>> len(keys), [key[3] for key in keys]
    (1, [('T2', 'write', 70002, 1)])
    """

    def __init__(self, keys: Set[Key], pairs: list[InterleavedPair]) -> None:
        self._keys = keys
        self._lazy_pairs = pairs  # pairs whose requirements are all distinct and not in `_keys`

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
    """PInv, criterion 4.B of the paper."""

    name: ClassVar[str] = "pinv"
    shape: ClassVar[Shape] = Shape(
        VARIABLE,
        access_part("access"),
        access_part("next access of the thread"),
        access_part('access of another thread or "none"'),
    )
    summary: ClassVar[str] = (
        "a particular access by another thread, or none, comes between two consecutive accesses of a thread"
    )
    points: ClassVar[frozenset[Kind]] = frozenset({READ})  # all three accesses of a requirement can be reads
    _variable = Logged
    _no_access_word: ClassVar[str] = NONE

    def __init__(self, *, occurrences: int = PINV_OCCURRENCES) -> None:
        super().__init__(occurrences=occurrences)

    @classmethod
    def make(cls, settings: CriterionSettings) -> Self:
        return cls(occurrences=settings.pinv_occurrences)

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._between: dict[tuple[int, int], int] = {}  # maps each pair to a mask of the accesses in between
        self._new: dict[tuple[int, int], int] = {}  # like `_between`, but only the accesses not reported yet
        self._alone: set[tuple[int, int]] = set()  # pairs without an access in between
        self._reported_pairs: dict[int, list[InterleavedPair]] = {}  # by variable, if its name is unique so far

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
        """Return the keys that can be reported now; pairs whose keys are created on demand go to `_lazy_pairs` instead.

        Hundreds of accesses can come between the two accesses of a pair. Two pairs can share a requirement only if
        their variables have the same name, so keys are compared only in that case.
        """
        names, waiting = self._names, {}
        keys = super()._named()
        name_counts = Counter(map(names.abstract, names.variables))
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
                # A plain tuple, so that the garbage collector does not track the keys, of which there can be millions.
                known[number] = tuple(names.abstract(number)), accesses, unnamed
            variable, accesses, unnamed = known[number]
            if bits & unnamed:
                waiting[pair] = bits & unnamed
            self.seen.pairs.add((names.abstract(number), first, second))
            interleaved = InterleavedPair(variable, first, second, accesses, bits & ~unnamed)
            if name_counts[names.abstract(number)] == 1:
                self._lazy_pairs.append(interleaved)
                self._reported_pairs.setdefault(number, []).append(interleaved)
            else:
                keys.update(interleaved.keys())
        for number in [number for number in self._reported_pairs if name_counts[names.abstract(number)] > 1]:
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
    """LR-Inv, criterion 5.B of the paper."""

    name: ClassVar[str] = "lr-inv"
    by_order: ClassVar[bool] = True
    shape: ClassVar[Shape] = Shape(
        VARIABLE,
        access_part("access"),
        access_part("next access of the thread"),
        word('"unserializable" or "serializable"'),
    )
    summary: ClassVar[str] = (
        "two consecutive accesses by a thread are unserializable because of an access by another thread, or they are "
        "serializable"
    )
    _variable = Clocked

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._unserializable: set[tuple[int, int]] = set()
        self._serializable: set[tuple[int, int]] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        groups, new_group, boundary = self._names.groups, self._names.new_group, self._names.boundary
        unserializable, serializable, fresh = self._unserializable, self._serializable, self._fresh
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
                    # Every access since the pair's first access is remote. According to UNSERIALIZABLE_BY, a read makes
                    # two writes unserializable; in all other cases a write does.
                    disturbed_at = variable.read if writes and last_access.wrote else variable.written
                    if disturbed_at > last_access.time:
                        if pair not in unserializable:
                            unserializable.add(pair)
                            fresh.append((*pair, UNSERIALIZABLE))
                    elif pair not in serializable:
                        serializable.add(pair)
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
        return self._serializable | self._unserializable

    def _disturbing(self, first: str, second: str) -> Container[str]:
        return (UNSERIALIZABLE_BY[first, second],)

    def _cases(self, first: Access, second: Access, remote: list[Access], *, calm: bool) -> Iterator[Access | str]:
        if calm:
            yield SERIALIZABLE
        if any(access[1] == UNSERIALIZABLE_BY[first[1], second[1]] for access in remote):
            yield UNSERIALIZABLE

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        _, first, second, verdict = key
        disturbance = f"a {UNSERIALIZABLE_BY[first[1], second[1]]} by another thread in between ({verdict})"
        return f"{self._describe_pair(key, sites)} {'with' if verdict == UNSERIALIZABLE else 'without'} {disturbance}"
