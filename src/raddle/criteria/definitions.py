"""The write from which each read gets its value: `def-use` and `lr-def` of Lu, Jiang and Zhou (criteria 4.A and 5.A).

In `def-use`, a requirement is a read and the write whose value it gets. In `lr-def`, a requirement is a read and the
origin of its value: local (a write by the same thread) or remote. The value that a variable has before any write counts
as local, as in the paper. That value belongs to the initial state of memory, which includes everything written before
the program starts another thread, for example by constructors.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from raddle.criteria.access_segments import AccessSegments
from raddle.criteria.accesses import CUTS, NO_ACCESS, Variable
from raddle.criteria.lu import FactCriterion, access_part
from raddle.criteria.observed_accesses import NEVER, Access
from raddle.criteria.sizes import INITIAL
from raddle.criteria.start_join import StartJoinOrder
from raddle.entities import AbstractVariable, Entities
from raddle.operation import READ, WRITE
from raddle.requirement import VARIABLE, Shape, word
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key

LOCAL, REMOTE = "local", "remote"


class Defined(Variable):
    """A variable with its last write."""

    __slots__ = ("writer", "written")

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.written = NO_ACCESS  # number of the last write
        self.writer = NO_ACCESS  # thread that made the last write; NO_ACCESS if there is none


class DefinitionCriterion(FactCriterion[Defined]):
    """A criterion about the write whose value a read gets."""

    _variable = Defined

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._sources: set[tuple[int, int]] = set()  # pairs (the reading thread's last write, the read)

    def _end_initial_state(self) -> None:
        for variable in self._names.variables.values():
            variable.written = variable.writer = NO_ACCESS
            for last_access in variable.last_accesses.values():
                last_access.number = NO_ACCESS
        self._sources = {(NO_ACCESS, access) for _, access in self._sources}

    def _note_possible(self, access_segments: AccessSegments) -> None:
        names, seen = self._names, self.seen
        for own, access in self._sources:
            if access not in access_segments.spans:
                continue  # the variable is not shared
            thread, _, number, _ = names.step(access)
            variable, read = names.abstract(number), names.named(access)
            if not access_segments.is_always_separated(number, thread, own, access, (WRITE,)):
                seen.sources.add((variable, self._source(own), read))
            seen.hidden.add((variable, read, names.named_clock(access_segments.hidden(number, thread, own, access))))
        for access, (first, last) in access_segments.spans.items():
            thread, kind, number, _ = names.step(access)
            if kind == WRITE:
                lasts = names.lasts(number, thread)
                later = min((segment for segment in lasts if segment > last), default=NEVER)
                overwritten = NEVER if first != last else later if access in lasts.values() else last
                seen.overwritten.add((names.abstract(number), names.named(access), overwritten))

    @abstractmethod
    def _source(self, own: int) -> Access | str:
        """Return the local source of a read; `own` is the reading thread's last write, or NO_ACCESS."""


class DefUse(DefinitionCriterion):
    """Def-Use, criterion 4.A of the paper."""

    name: ClassVar[str] = "def-use"
    by_order: ClassVar[bool] = True
    shape: ClassVar[Shape] = Shape(VARIABLE, access_part('write or "initial"'), access_part("read"))
    summary: ClassVar[str] = "a read gets the value of a particular write, or the initial value"
    _no_access_word: ClassVar[str] = INITIAL

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._flows: set[tuple[int, int]] = set()

    def _end_initial_state(self) -> None:
        super()._end_initial_state()
        self._flows = {(NO_ACCESS, access) for _, access in self._flows}
        self._fresh = list(self._flows)

    def feed(self, steps: Iterable[Step]) -> None:
        groups, new_group, boundary = self._names.groups, self._names.new_group, self._names.boundary
        for step in steps:
            kind = step[1]
            if kind == READ:
                group = groups.get(step) or new_group(step)
                access = group.access
                if access != group.last:
                    group.access = access = access + 1
                written, own = group.variable.written, group.last_access.number
                flow = (written, access)
                if flow not in self._flows:
                    self._flows.add(flow)
                    self._fresh.append(flow)
                self._sources.add((own, access))
            elif kind == WRITE:
                group = groups.get(step) or new_group(step)
                access = group.access
                if access != group.last:
                    group.access = access = access + 1
                group.variable.written = group.last_access.number = access
            elif kind in CUTS:
                boundary(step)

    def _source(self, own: int) -> Access | str:
        return INITIAL if own == NO_ACCESS else self._names.named(own)

    def _requirements(self) -> Iterator[Key]:
        sources: dict[Key, list[Key]] = {}
        for key in sorted(self.seen.sources, key=str):
            sources.setdefault((key[0], key[2]), []).append(key)
        order = StartJoinOrder(self.seen)
        for variable, accesses in self._by_variable():
            for read in accesses:
                if read[1] == READ:
                    yield from sources.get((variable, read), [])
                    for write in accesses:
                        if write[1] == WRITE and write[0] != read[0] and order.can_see(variable, write, read):
                            yield variable, write, read

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, write, read = key
        clause = f"thread {read[0]} reads `{AbstractVariable(*variable)}` {self._where(read, sites)} and gets"
        if write == INITIAL:
            return f"{clause} the initial value, from before any thread was started"
        return f"{clause} the value that thread {write[0]} wrote {self._where(write, sites)}"


class LocalOrRemoteDefinition(DefinitionCriterion):
    """LR-Def, criterion 5.A of the paper."""

    name: ClassVar[str] = "lr-def"
    by_order: ClassVar[bool] = True
    shape: ClassVar[Shape] = Shape(VARIABLE, access_part("read"), word('"local" or "remote"'))
    summary: ClassVar[str] = (
        "a read gets a local value (the initial value or one written by its own thread), or another thread's value"
    )

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._locals: set[int] = set()
        self._remotes: set[int] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        groups, new_group, boundary = self._names.groups, self._names.new_group, self._names.boundary
        local_reads, remote_reads, fresh = self._locals, self._remotes, self._fresh
        for step in steps:
            kind = step[1]
            if kind == READ:
                group = groups.get(step) or new_group(step)
                access = group.access
                if access != group.last:
                    group.access = access = access + 1
                writer = group.variable.writer
                self._sources.add((group.last_access.number, access))
                if writer == step[0] or writer == NO_ACCESS:
                    if access not in local_reads:
                        local_reads.add(access)
                        fresh.append((access, LOCAL))
                elif access not in remote_reads:
                    remote_reads.add(access)
                    fresh.append((access, REMOTE))
            elif kind == WRITE:
                group = groups.get(step) or new_group(step)
                access = group.access
                if access != group.last:
                    group.access = access = access + 1
                group.last_access.number = access
                group.variable.writer = step[0]
            elif kind in CUTS:
                boundary(step)

    def _source(self, own: int) -> str:
        return LOCAL

    def _requirements(self) -> Iterator[Key]:
        order = StartJoinOrder(self.seen)
        for variable, accesses in self._by_variable():
            for read in accesses:
                if read[1] == READ:
                    if (variable, LOCAL, read) in self.seen.sources:
                        yield variable, read, LOCAL
                    if any(
                        write[1] == WRITE and write[0] != read[0] and order.can_see(variable, write, read)
                        for write in accesses
                    ):
                        yield variable, read, REMOTE

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        variable, read, origin = key
        clause = f"thread {read[0]} reads `{AbstractVariable(*variable)}` {self._where(read, sites)} and gets a value"
        if origin == LOCAL:
            return f"{clause} that no other thread wrote"
        return f"{clause} that another thread wrote"
