"""Who defined what a read reads: def-use and lr-def of Lu, Jiang and Zhou (criteria 4.A and 5.A).

A read is told apart by the write whose value it reads (def-use), or only by whether that was its own thread's or
another's (lr-def). The value that was there before all writes counts as local, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import ClassVar

from raddle.cast import AbstractVariable, Cast
from raddle.criteria.accesses import NOBODY, Variable
from raddle.criteria.lu import FactCriterion, access_part
from raddle.criteria.sizes import INITIAL
from raddle.operation import READ, START, WRITE
from raddle.requirement import VARIABLE, Shape, word
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

LOCAL, REMOTE = "local", "remote"


class Defined(Variable):
    """A variable and its last write."""

    __slots__ = ("writer", "written")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.written = NOBODY
        self.writer = NOBODY  # the thread


class DefUse(FactCriterion[Defined]):
    """Criterion 4.A."""

    name: ClassVar[str] = "def-use"
    by_order: ClassVar[bool] = True
    shape: ClassVar[Shape] = Shape(VARIABLE, access_part('write or "initial"'), access_part("read"))
    summary: ClassVar[str] = "a read reads the value that a certain write, or nobody, has written"
    _variable = Defined
    _nobody: ClassVar[str] = INITIAL

    def begin(self, cast: Cast) -> None:
        super().begin(cast)
        self._flows: set[tuple[int, int]] = set()
        self._sources: set[tuple[int, int]] = set()  # what a read would have read, had not others written

    def feed(self, steps: Iterable[Step]) -> None:
        spots, new_spot, start = self._names.spots, self._names.new_spot, self._names.labels.start
        flows, sources, fresh = self._flows, self._sources, self._fresh
        for step in steps:
            kind = step[1]
            if kind == READ:
                spot = spots.get(step) or new_spot(step)
                access = spot.access
                if access != spot.last:
                    spot.access = access = access + 1
                written, own = spot.variable.written, spot.place.last
                flow = (written, access)
                if flow not in flows:
                    flows.add(flow)
                    fresh.append(flow)
                if own != written:
                    sources.add((own, access))
            elif kind == WRITE:
                spot = spots.get(step) or new_spot(step)
                access = spot.access
                if access != spot.last:
                    spot.access = access = access + 1
                spot.variable.written = spot.place.last = access
            elif kind == START:
                start(step[0], step[2])

    def collect(self, *, final: bool) -> Set[Key]:
        keys = super().collect(final=final)
        if final:
            unread, _ = self._names.keys(self._sources)
            self.seen.sources |= unread
        return keys

    def _named(self) -> set[Key]:
        keys = super()._named()
        self.seen.sources.update(key for key in keys if key[1] == INITIAL or key[1][0] == key[2][0])
        return keys

    def _requirements(self) -> Iterator[Key]:
        sources: dict[Key, list[Key]] = {}
        for key in sorted(self.seen.sources, key=str):
            sources.setdefault((key[0], key[2]), []).append(key)
        for variable, accesses in self._by_variable():
            for read in accesses:
                if read[1] == READ:
                    yield from sources.get((variable, read), [])
                    for write in accesses:
                        if write[1] == WRITE and write[0] != read[0]:
                            yield variable, write, read

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, write, read = key
        clause = f"thread {read[0]} read `{AbstractVariable(*variable)}` {self._where(read, sites)}"
        if write == INITIAL:
            return f"{clause} before anybody wrote it"
        return f"{clause} with the value that thread {write[0]} wrote {self._where(write, sites)}"


class LocalOrRemoteDefinition(FactCriterion[Defined]):
    """Criterion 5.A."""

    name: ClassVar[str] = "lr-def"
    by_order: ClassVar[bool] = True
    shape: ClassVar[Shape] = Shape(VARIABLE, access_part("read"), word('"local" or "remote"'))
    summary: ClassVar[str] = "a read reads what its own thread wrote (or nobody), or what another thread wrote"
    _variable = Defined

    def begin(self, cast: Cast) -> None:
        super().begin(cast)
        self._locals: set[int] = set()
        self._remotes: set[int] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        spots, new_spot, start = self._names.spots, self._names.new_spot, self._names.labels.start
        local_reads, remote_reads, fresh = self._locals, self._remotes, self._fresh
        for step in steps:
            kind = step[1]
            if kind == READ:
                spot = spots.get(step) or new_spot(step)
                access = spot.access
                if access != spot.last:
                    spot.access = access = access + 1
                writer = spot.variable.writer
                if writer == step[0] or writer == NOBODY:
                    if access not in local_reads:
                        local_reads.add(access)
                        fresh.append((access, LOCAL))
                elif access not in remote_reads:
                    remote_reads.add(access)
                    fresh.append((access, REMOTE))
            elif kind == WRITE:
                spot = spots.get(step) or new_spot(step)
                access = spot.access
                if access != spot.last:
                    spot.access = access + 1
                spot.variable.writer = step[0]
            elif kind == START:
                start(step[0], step[2])

    def _requirements(self) -> Iterator[Key]:
        for variable, accesses in self._by_variable():
            writers = {access[0] for access in accesses if access[1] == WRITE}
            for access in accesses:
                if access[1] == READ:
                    yield variable, access, LOCAL
                    if writers - {access[0]}:
                        yield variable, access, REMOTE

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, read, whose = key
        clause = f"thread {read[0]} read `{AbstractVariable(*variable)}` {self._where(read, sites)} with a value"
        if whose == LOCAL:
            return f"{clause} that no other thread wrote"
        return f"{clause} that another thread wrote"
