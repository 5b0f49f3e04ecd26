"""What comes between two accesses of a thread: pinv and lr-inv of Lu, Jiang and Zhou (criteria 4.B and 5.B).

Two accesses of one thread to one variable with no other of its own to that variable between them are a
consecutive pair. Whatever touches the variable between them is another thread's: each such access is told apart
(pinv), or only whether one of them makes the pair unserializable (lr-inv).

Both are linear in the length of the execution. lr-inv costs the same for each access; pinv looks at the different
accesses of others since the thread's last one to the variable, so it costs more the more threads share it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from raddle.cast import AbstractVariable, Cast
from raddle.criteria.accesses import NOBODY, WRITE, Access, V, Variable
from raddle.criteria.lu import FactCriterion
from raddle.criteria.sizes import UNSERIALIZABLE_BY
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

NONE = "none"  # the paper's dot: nothing between the two
UNSERIALIZABLE, SERIALIZABLE = "unserializable", "serializable"


class Recent(Variable):
    """A variable and its accesses, by the last time that each happened.

    Those between a thread's last access and now are the end of `recent`, back to that access: nothing older is
    looked at, and nothing is kept twice.
    """

    __slots__ = ("latest", "recent")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.latest = NOBODY
        self.recent: dict[int, None] = {}


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

    def _see_keys(self, keys: set[Key]) -> None:
        self.seen.pairs.update((variable, first, second) for variable, first, second, _ in keys)

    def _requirements(self) -> Iterator[Key]:
        accesses = dict(self._by_variable())
        for variable, first, second in sorted(self.seen.pairs):
            remote = [access for access in accesses.get(variable, []) if access[0] != first[0]]
            for case in self._cases(first, second, remote):
                yield variable, first, second, case

    @abstractmethod
    def _cases(self, first: Access, second: Access, remote: list[Access]) -> Iterator[Access | str]:
        """What can be the case between the two, given all accesses of others."""

    def _said(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, first, second, _ = key
        return (
            f"thread {first[0]} {first[1]} `{AbstractVariable(*variable)}` {self._where(first, sites)} "
            f"and next {second[1]} it {self._where(second, sites)}"
        )


class PairInterleave(PairCriterion[Recent]):
    """Criterion 4.B."""

    name: ClassVar[str] = "pinv"
    shape: ClassVar[str] = '(variable, access, next access of the thread, access of another thread or "none")'
    summary: ClassVar[str] = (
        "between two consecutive accesses of a thread comes a certain one of another thread, or none"
    )
    _variable = Recent
    _nobody: ClassVar[str] = NONE

    def begin(self, cast: Cast) -> None:
        super().begin(cast)
        self._between: dict[tuple[int, int], set[int]] = {}

    def feed(self, steps: Iterable[Step]) -> None:
        spots, new_spot, start = self._names.spots, self._names.new_spot, self._names.labels.start
        between, fresh = self._between, self._fresh
        for step in steps:
            kind = step[1]
            if kind in ("read", "write"):
                spot = spots.get(step) or new_spot(step)
                access = spot.access
                if access != spot.last:
                    spot.access = access = access + 1
                variable, place = spot.variable, spot.place
                first, recent = place.last, variable.recent
                if first != NOBODY:
                    met = between.get((first, access))
                    if met is None:
                        met = between[first, access] = set()
                    if variable.latest == first:
                        if NOBODY not in met:
                            met.add(NOBODY)
                            fresh.append((first, access, NOBODY))
                    else:
                        for other in reversed(recent):
                            if other == first:
                                break
                            if other not in met:
                                met.add(other)
                                fresh.append((first, access, other))
                if variable.latest != access:
                    recent.pop(access, None)
                    recent[access] = None
                    variable.latest = access
                place.last = access
            elif kind == "start":
                start(step[0], step[2])

    def _cases(self, first: Access, second: Access, remote: list[Access]) -> Iterator[Access | str]:
        yield NONE
        yield from remote

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, first, second, other = key
        if other == NONE:
            return f"{self._said(key, sites)} with no access of another thread in between"
        return (
            f"thread {other[0]} {other[1]} `{AbstractVariable(*variable)}` {self._where(other, sites)} "
            f"between thread {first[0]}'s {first[1]} {self._where(first, sites)} "
            f"and its next access, the {second[1]} {self._where(second, sites)}"
        )


class LocalOrRemoteInterleave(PairCriterion[Clocked]):
    """Criterion 5.B."""

    name: ClassVar[str] = "lr-inv"
    shape: ClassVar[str] = '(variable, access, next access of the thread, "unserializable" or "serializable")'
    summary: ClassVar[str] = "another thread makes two consecutive accesses of a thread unserializable, or none does"
    _variable = Clocked

    def begin(self, cast: Cast) -> None:
        super().begin(cast)
        self._bad: set[tuple[int, int]] = set()
        self._good: set[tuple[int, int]] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        spots, new_spot, start = self._names.spots, self._names.new_spot, self._names.labels.start
        bad, good, fresh = self._bad, self._good, self._fresh
        for step in steps:
            kind = step[1]
            if kind in ("read", "write"):
                spot = spots.get(step) or new_spot(step)
                access = spot.access
                if access != spot.last:
                    spot.access = access = access + 1
                variable, place, writes = spot.variable, spot.place, kind == WRITE
                if place.last != NOBODY:
                    pair = (place.last, access)
                    # Whatever came after the pair's first is remote. See UNSERIALIZABLE_BY: between two writes
                    # a read does it, in all other cases a write.
                    culprit = variable.read if writes and place.wrote else variable.written
                    if culprit > place.time:
                        if pair not in bad:
                            bad.add(pair)
                            fresh.append((*pair, UNSERIALIZABLE))
                    elif pair not in good:
                        good.add(pair)
                        fresh.append((*pair, SERIALIZABLE))
                variable.time = place.time = time = variable.time + 1
                if writes:
                    variable.written = time
                else:
                    variable.read = time
                place.last, place.wrote = access, writes
            elif kind == "start":
                start(step[0], step[2])

    def _cases(self, first: Access, second: Access, remote: list[Access]) -> Iterator[Access | str]:
        yield SERIALIZABLE
        if any(access[1] == UNSERIALIZABLE_BY[first[1], second[1]] for access in remote):
            yield UNSERIALIZABLE

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        _, first, second, verdict = key
        culprit = f"a {UNSERIALIZABLE_BY[first[1], second[1]]} by another thread in between ({verdict})"
        return f"{self._said(key, sites)} {'with' if verdict == UNSERIALIZABLE else 'without'} {culprit}"
