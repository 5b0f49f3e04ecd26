"""Names of accesses, for the criteria of Lu, Jiang and Zhou (2007).

In the paper, a program runs with one fixed input, so the n-th event of a thread is the same in every interleaving. Here
an access is named by its thread, its kind (read or write), its site and its occurrence. The occurrence is 1 for the
thread's first access of this kind to the variable at this site, 2 for the second, and so on. There are three departures
from the paper:

* A thread is named by its descent (see `raddle.criteria.descent`), because thread numbers differ between executions.
* Occurrences are counted up to a limit: 16, or 4 for `pinv` unless configured otherwise. All later occurrences get the
  last number, so memory does not grow with the length of the execution. The requirements for long loops are therefore
  coarser.
* Variables are distinguished within an execution, but requirements name only the abstract variable. So accesses to two
  objects created at the same place have the same names.
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

OCCURRENCES = 16  # number of occurrences of an access that are distinguished
# A requirement whose accesses are given by number: access numbers and words. At most one of the first two parts is
# NO_ACCESS.
Fact = tuple[Any, ...]
CUTS = frozenset({START, JOIN})  # the steps that end a segment of a thread
NO_ACCESS = -1  # used instead of an access number if there is no access
_MAX_KEYS = 1 << 16  # maximum number of keys cached for later executions; keys of long executions rarely recur


class LastAccess:
    """The last access of one thread to one variable."""

    __slots__ = ("missed", "number", "time", "wrote")

    def __init__(self) -> None:
        self.number = NO_ACCESS  # number of the last access, or of the last write, depending on the criterion
        self.time = 0  # time of the last access on the variable's clock
        self.missed = 0  # mask of other threads' accesses since the last access, except those still in the log
        self.wrote = False  # True if the last access was a write


class Variable:
    """The state that a criterion keeps for one concrete variable of the execution."""

    __slots__ = ("last_accesses", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.last_accesses: dict[int, LastAccess] = {}  # by thread; with two or more entries, the variable is shared


V = TypeVar("V", bound=Variable)


class AccessGroup(Generic[V]):
    """All reads, or all writes, of one variable by one thread at one site.

    The accesses are numbered from `first` to `last`, with one number for each occurrence.
    """

    __slots__ = ("access", "first", "last", "last_access", "variable")

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last

    access: int  # number of the latest access
    variable: V
    last_access: LastAccess


class AccessNames(Generic[V]):
    """The numbers and names of the accesses of an execution; `new_group` assigns the numbers.

    The inner loops of the criteria need only numbers, so names are created on demand. A variable can become shared only
    when a new group is added, so only `new_group` updates the set of threads that access a variable.

    Numbers are kept from one execution to the next. If all threads and variables are the same as before, as in the
    executions of one scenario, the names are kept too. Creating the names again would take more time than everything
    else combined.
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
        self._no_access_word = no_access_word  # the word for NO_ACCESS in a key
        self._variable = variable
        self._on_concurrent = concurrent  # called when a second thread is started or first observed
        self._on_cut = cut  # called with the thread when one of its segments ends
        self._groups_by_step: dict[Step, AccessGroup[V]] = {}
        self._steps: list[Step] = []  # the step of each group, at index (access number // occurrences)
        # The thread labels and variables for which the caches below are valid.
        self._named_entities: tuple[object, ...] = ()
        self._accesses: dict[int, Access] = {}
        self._keys: dict[Fact, Key] = {}
        self._noted_up_to: dict[Step, int] = {}
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """Start a new execution."""
        self.labels = Labels()
        self.groups: dict[Step, AccessGroup[V]] = {}
        self.variables: dict[int, V] = {}
        self._threads: dict[int, None] = {}  # ordered by first access
        self.segments = Segments()
        self.alone = True  # True until a second thread is started or accesses anything
        # Maps each thread to its steps and their groups.
        self._groups_of_thread: dict[int, list[tuple[Step, AccessGroup[V]]]] = {}
        # Maps each step to the segments in which it occurred, and the last access in each.
        self._cuts: dict[Step, list[tuple[int, int]]] = {}
        # For each variable and thread: maps segments to the last access in each.
        self._lasts: dict[tuple[int, int], dict[int, int]] = {}
        self._entities = entities
        self._valid = False  # True once the cached names have been checked against this execution

    def boundary(self, step: Step) -> None:
        """Record that a thread starts or joins another thread."""
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
        """Return the group for a step that occurs for the first time in this execution."""
        thread, _, number, _ = step
        if thread and self.alone:  # the start of this thread was not recorded
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
        """Prepare to create names; if `final`, assign a label to every thread."""
        meaning: tuple[object, ...] = ()
        if final:
            self.labels.settle(self._threads)
            meaning = ({thread: self.labels.of(thread) for thread in self._threads}, list(self._entities.variables))
        if not self._valid and (not final or meaning != self._named_entities):
            self._accesses, self._keys, self._noted_up_to = {}, {}, {}
        self._named_entities, self._valid = meaning, True

    def step(self, access: int) -> Step:
        """Return the thread, kind, variable and site of an access."""
        return self._steps[access // self._occurrences]

    def abstract(self, variable: int) -> AbstractVariable:
        """Return the abstract variable of a concrete variable."""
        return self._entities.variables[variable]

    def access(self, access: int) -> Access | None:
        """Return the name of an access; None if its thread has no label yet."""
        name = self._accesses.get(access)
        if name is None:
            index, earlier = divmod(access, self._occurrences)
            thread, kind, _, site = self._steps[index]
            label = self.labels.of(thread)
            if label is not None:
                name = self._accesses[access] = (label, kind, site, earlier + 1)
        return name

    def named(self, access: int) -> Access:
        """Return the name of an access; the execution must have ended."""
        name = self.access(access)
        if name is None:
            raise RuntimeError(f"thread {self.step(access)[0]} has no label after the end of the execution")
        return name

    def keys(self, facts: Iterable[Fact]) -> tuple[set[Key], list[Fact]]:
        """Return the keys of facts about shared variables, and the facts that do not have a key yet."""
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
        """Yield every access to a shared variable, with its abstract variable."""
        for (_, _, number, _), group in self.groups.items():
            if len(group.variable.last_accesses) > 1:
                variable = self._entities.variables[number]
                for access in range(group.first, group.access + 1):
                    yield variable, access

    def spans(self) -> Iterator[tuple[Step, int, int, int]]:
        """Yield every access to a shared variable, with the segments of its first and last occurrence.

        The last number of a group can represent many occurrences, which are assumed to continue until the thread ends.
        """
        for step, group in self.groups.items():
            if len(group.variable.last_accesses) > 1:
                now, access = self.segments.of(step[0]), group.first
                for segment, last in [*self._cuts.get(step, ()), (now, group.access)]:
                    while access <= last:
                        yield step, access, segment, now if access == group.last else segment
                        access += 1

    def lasts(self, number: int, thread: int) -> dict[int, int]:
        """Return, by segment, the thread's last access to the variable; segments without a new access are left out."""
        last, lasts = self.variables[number].last_accesses[thread].number, dict(self._lasts.get((number, thread), {}))
        if last not in lasts.values():
            lasts[self.segments.of(thread)] = last
        return lasts

    def note_order(self, seen: ObservedAccesses) -> None:
        """Add to `seen` the segments of all accesses, and the order that starts and joins impose on these segments."""
        used: set[tuple[int, int]] = set()
        for step, access, first, last in self.spans():
            used |= {(step[0], first), (step[0], last)}
            seen.spans.add((self.abstract(step[2]), self.named(access), first, last))
        self.note_clocks(seen, used)

    def note_clocks(self, seen: ObservedAccesses, used: Iterable[tuple[int, int]]) -> None:
        """Add to `seen` the clocks of the used segments; a segment is given as (thread, segment number)."""
        if self.segments.overflowed:
            seen.segments.add(UNORDERED)
        for thread, segment in used:
            clock = self.named_clock(self.segments.clock(thread, segment))
            seen.segments.add((str(self.labels.of(thread)), segment, clock))

    def named_clock(self, clock: Mapping[int, int]) -> tuple[tuple[str, int], ...]:
        """Return the clock with thread labels as keys; threads without a label have no accesses and are left out."""
        return tuple(sorted((label, last) for thread, last in clock.items() if (label := self.labels.of(thread))))

    def note(self, accesses: set[tuple[AbstractVariable, Access]]) -> None:
        """Add to `accesses` all accesses to shared variables that no earlier call has added."""
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
