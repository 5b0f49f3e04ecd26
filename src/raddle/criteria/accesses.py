"""Accesses, as the criteria of Lu, Jiang and Zhou (2007) name them.

The paper speaks of the events of a program under one input: the n-th of a thread is the same event in every
interleaving. Here an access is named by its thread, by reading or writing, by its site, and by its occurrence:
how often the thread had done that to this variable there. Three departures:

* A thread is named by descent, see `raddle.criteria.descent`: numbers of threads differ between executions.
* Occurrences are counted up to a most: 16, and for pinv 4 or as many as its users ask for. All later ones count as the
  last, so that memory does not grow with the execution; for loops that go on longer, requirements are coarser.
* Variables are told apart within an execution, and named by their abstract variable: the accesses to two objects
  made in the same place have the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from raddle.criteria.descent import Labels
from raddle.criteria.observed_accesses import UNORDERED, Access, ObservedAccesses
from raddle.criteria.segments import Segments
from raddle.entities import AbstractVariable, Entities
from raddle.operation import JOIN, START
from raddle.step import Step
from raddle.tally import Key

OCCURRENCES = 16
Fact = tuple[Any, ...]  # numbers of accesses to a variable, one of the first two real; and words
CUTS = frozenset({START, JOIN})  # the steps that cut a thread's time into segments
NO_ACCESS = -1  # in place of the number of an access
_MAX_KEYS = 1 << 16  # kept in case they are needed again; only short executions come again and again


class LastAccess:
    """Where one thread stands with one variable."""

    __slots__ = ("missed", "number", "time", "wrote")

    def __init__(self) -> None:
        self.number = NO_ACCESS  # its last access, or its last write: as the criterion needs
        self.time = 0  # of that access, by the variable's clock
        self.missed = 0  # what others did since, as bits, as far as the variable does not remember it
        self.wrote = False  # was that access a write?


class Variable:
    """What a criterion remembers of one variable of the execution, not of an abstract one."""

    __slots__ = ("last_accesses", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.last_accesses: dict[int, LastAccess] = {}  # by thread; the variable is shared if there are two


V = TypeVar("V", bound=Variable)


class AccessGroup(Generic[V]):
    """All accesses that look alike: one thread, reading or writing one variable at one site."""

    __slots__ = ("access", "first", "last", "last_access", "variable")

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last

    access: int  # the one that happened last
    variable: V
    last_access: LastAccess


class AccessNames(Generic[V]):
    """The accesses of an execution, by number; `spots` gives out the numbers.

    A number is all that is needed while steps come, see the loops of the criteria; names are made when somebody
    asks. That two threads share a variable shows in new spots only, so nobody else looks for it.

    Numbers stay from one execution to the next. Where all threads and variables are again what they were, as in
    the executions of one scenario, the names made then are good still; to make them anew would cost more than
    all the rest.
    """

    def __init__(
        self,
        *,
        occurrences: int,
        no_access_word: str,
        variable: Callable[[int], V],
        concurrent: Callable[[], None],
        cut: Callable[[int], None],
    ) -> None:
        self._occurrences = occurrences
        self._no_access_word = no_access_word  # what a key says in place of NOBODY
        self._variable = variable
        self._on_concurrent = concurrent  # called when a second thread is started, or seen
        self._on_cut = cut  # called with a thread when its segment ends
        self._groups_by_step: dict[Step, AccessGroup[V]] = {}
        self._steps: list[Step] = []  # number // occurrences -> what all accesses of the spot look like
        self._named_entities: tuple[object, ...] = ()  # of the numbers of threads and variables, for these names:
        self._accesses: dict[int, Access] = {}
        self._keys: dict[Fact, Key] = {}
        self._noted_up_to: dict[Step, int] = {}
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """An execution begins."""
        self.labels = Labels()
        self.groups: dict[Step, AccessGroup[V]] = {}
        self.variables: dict[int, V] = {}
        self._threads: dict[int, None] = {}  # in the order of their first accesses
        self.segments = Segments()
        self.alone = True  # has no thread but the first been started, or touched anything?
        self._groups_of_thread: dict[int, list[tuple[Step, AccessGroup[V]]]] = {}  # by thread
        self._cuts: dict[Step, list[tuple[int, int]]] = {}  # segments, and the last access in each that had any
        self._lasts: dict[tuple[int, int], dict[int, int]] = {}  # by variable and thread: the last access, by segment
        self._entities = entities
        self._valid = False  # are the names known to be those of this execution?

    def boundary(self, step: Step) -> None:
        """A thread starts or joins another one."""
        thread, kind, other, _ = step
        if kind == START:
            self.labels.start(thread, other)
        if self.alone:
            self._end_alone()
        self._cut(thread)
        if kind == START:
            self.segments.start(thread, other, begun=other in self._threads)
        else:
            self.segments.join(thread, other)

    def _end_alone(self) -> None:
        self.alone = False
        self._on_concurrent()

    def _cut(self, thread: int) -> None:
        if self.segments.overflowed:
            return
        self._on_cut(thread)
        segment = self.segments.of(thread)
        for step, group in self._groups_of_thread.get(thread, ()):
            cuts = self._cuts.setdefault(step, [])
            if not cuts or cuts[-1][1] != group.access:
                cuts.append((segment, group.access))
            lasts = self._lasts.setdefault((step[2], thread), {})
            if group.last_access.number != NO_ACCESS and group.last_access.number not in lasts.values():
                lasts[segment] = group.last_access.number

    def new_group(self, step: Step) -> AccessGroup[V]:
        """A thread reads or writes a variable at a site for the first time in this execution."""
        thread, _, number, _ = step
        if thread and self.alone:  # not seen started
            self._end_alone()
            self._cut(0)
            self.segments.cut(0, {})
        variable = self.variables.get(number)
        if variable is None:
            variable = self.variables[number] = self._variable(number)
        last_access = variable.last_accesses.get(thread)
        if last_access is None:
            last_access = variable.last_accesses[thread] = LastAccess()
            self._threads[thread] = None
        group = self._groups_by_step.get(step)
        if group is None:
            first = len(self._steps) * self._occurrences
            group = self._groups_by_step[step] = AccessGroup(first, first + self._occurrences - 1)
            self._steps.append(step)
        group.access, group.variable, group.last_access = group.first - 1, variable, last_access
        self.groups[step] = group
        self._groups_of_thread.setdefault(thread, []).append((step, group))
        return group

    def settle(self, *, final: bool) -> None:
        """Names are going to be asked for. When it is final, every thread has one."""
        meaning: tuple[object, ...] = ()
        if final:
            self.labels.settle(self._threads)
            meaning = ({thread: self.labels.of(thread) for thread in self._threads}, list(self._entities.variables))
        if not self._valid and (not final or meaning != self._named_entities):
            self._accesses, self._keys, self._noted_up_to = {}, {}, {}
        self._named_entities, self._valid = meaning, True

    def step(self, access: int) -> Step:
        """Thread, kind, variable and site of an access."""
        return self._steps[access // self._occurrences]

    def abstract(self, variable: int) -> AbstractVariable:
        """What a variable of the execution is in every execution."""
        return self._entities.variables[variable]

    def access(self, access: int) -> Access | None:
        """The name of the access; None while its thread has no label."""
        name = self._accesses.get(access)
        if name is None:
            index, earlier = divmod(access, self._occurrences)
            thread, kind, _, site = self._steps[index]
            label = self.labels.of(thread)
            if label is not None:
                name = self._accesses[access] = (label, kind, site, earlier + 1)
        return name

    def named(self, access: int) -> Access:
        """The name of the access when the execution is over."""
        name = self.access(access)
        if name is None:
            raise RuntimeError(f"thread {self.step(access)[0]} has no label although the execution is over")
        return name

    def keys(self, facts: Iterable[Fact]) -> tuple[set[Key], list[Fact]]:
        """Facts about shared variables, with names in place of numbers; and those that have to wait."""
        found: set[Key] = set()
        waiting: list[Fact] = []
        steps, occurrences, variables, known = self._steps, self._occurrences, self.variables, self._keys
        for fact in facts:
            some_access = fact[0] if fact[0] != NO_ACCESS else fact[1]
            number = steps[some_access // occurrences][2]
            key: Key | None = None
            if len(variables[number].last_accesses) > 1:
                key = known.get(fact) or self._key(number, fact)
            if key is None:
                waiting.append(fact)
            else:
                found.add(key)
        return found, waiting

    def _key(self, variable: int, fact: Fact) -> Key | None:
        key: list[Any] = [self.abstract(variable)]
        for part in fact:
            name = part if isinstance(part, str) else self._no_access_word if part == NO_ACCESS else self.access(part)
            if name is None:
                return None
            key.append(name)
        made = tuple(key)
        if len(self._keys) < _MAX_KEYS:
            self._keys[fact] = made
        return made

    def of_shared(self) -> Iterator[tuple[AbstractVariable, int]]:
        """Every access to a shared variable that happened, and the variable."""
        for (_, _, number, _), group in self.groups.items():
            if len(group.variable.last_accesses) > 1:
                variable = self._entities.variables[number]
                for access in range(group.first, group.access + 1):
                    yield variable, access

    def spans(self) -> Iterator[tuple[Step, int, int, int]]:
        """Yield every access to a shared variable that happened, with the segments of its first and last occurrence.

        Only the last number stands for several occurrences; it is taken to go on until the thread ends.
        """
        for step, group in self.groups.items():
            if len(group.variable.last_accesses) > 1:
                now, access = self.segments.of(step[0]), group.first
                for segment, last in [*self._cuts.get(step, ()), (now, group.access)]:
                    while access <= last:
                        yield step, access, segment, now if access == group.last else segment
                        access += 1

    def lasts(self, number: int, thread: int) -> dict[int, int]:
        """Return what `Place.last` was of a thread at the end of each of its segments in which it changed."""
        last, lasts = self.variables[number].last_accesses[thread].number, dict(self._lasts.get((number, thread), {}))
        if last not in lasts.values():
            lasts[self.segments.of(thread)] = last
        return lasts

    def note_order(self, seen: ObservedAccesses) -> None:
        """Add in which segments accesses happened, and how starts and joins order these."""
        used: set[tuple[int, int]] = set()
        for step, access, first, last in self.spans():
            used |= {(step[0], first), (step[0], last)}
            seen.spans.add((self.abstract(step[2]), self.named(access), first, last))
        self.note_clocks(seen, used)

    def note_clocks(self, seen: ObservedAccesses, used: Iterable[tuple[int, int]]) -> None:
        """Add how starts and joins order these segments, each given by its thread and number."""
        if self.segments.overflowed:
            seen.segments.add(UNORDERED)
        for thread, segment in used:
            clock = self.named_clock(self.segments.clock(thread, segment))
            seen.segments.add((str(self.labels.of(thread)), segment, clock))

    def named_clock(self, clock: Mapping[int, int]) -> tuple[tuple[str, int], ...]:
        """Return a clock with labels for threads; those that have none have no accesses either."""
        return tuple(sorted((label, last) for thread, last in clock.items() if (label := self.labels.of(thread))))

    def note(self, accesses: set[tuple[AbstractVariable, Access]]) -> None:
        """Add the accesses to shared variables that happened, but for those of which that is known already."""
        noted = self._noted_up_to
        for step, group in self.groups.items():
            last = group.access
            if (
                noted.get(step, NO_ACCESS) >= last
                or len(group.variable.last_accesses) < 2
                or self.labels.of(step[0]) is None
            ):
                continue
            noted[step] = last
            variable = self._entities.variables[step[2]]
            accesses.update((variable, self.named(access)) for access in range(group.first, last + 1))
