"""Small worlds to search.

In one, ranks exchange messages. In another, acquires have timeouts. In the third, the footprint of a step is known only
after the step.

Every execution creates a new world, which calls the search as the engine would. All executions with the same partial
order give the same result. `brute_force` shares no code with any search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from raddle.decision import Decision
from raddle.schedulers.calculus import Access, Calculus, Reader, Touched
from raddle.schedulers.dependence import conflict_table
from raddle.schedulers.operation_log import Log
from raddle.schedulers.reachability import Reachability
from raddle.threads.calculus import ThreadCalculus
from raddle.threads.modes import FREE, GIVE, TAKE
from supplies import MESSAGE, Channels, Nothing


class Outcome(NamedTuple):
    """One outcome of an operation."""

    label: str


class Participant:
    """A participant as a scheduler sees it, with a list of instructions."""

    target, name, site, timed_out = None, "", 0, False

    def __init__(self, index: int, label: str, program: Sequence[Any]) -> None:
        self.index, self.label, self.program = index, label, list(program)
        self.at = 0
        self.alternatives: Callable[[], Sequence[Outcome]] | None = None

    @property
    def next(self) -> Any:
        return self.program[self.at] if self.at < len(self.program) else None

    @property
    def kind(self) -> str:
        return str(self.next)


class World:
    """Participants and the state that they share."""

    calculus: Calculus
    letter = "T"

    def __init__(self, programs: Sequence[Sequence[Any]]) -> None:
        self.decisions: list[int] = []
        self.participants = [Participant(at, f"{self.letter}{at}", program) for at, program in enumerate(programs)]
        for participant in self.participants:
            self.arrive(participant)

    def arrive(self, participant: Participant) -> None:
        """Prepare the participant's next instruction, for example by setting its alternatives."""

    def is_enabled(self, participant: Participant) -> bool:
        raise NotImplementedError

    def do(self, participant: Participant, outcome: str) -> list[Access] | None:
        """Execute the participant's instruction; return its accesses if they were not known before."""
        raise NotImplementedError

    def result(self) -> Hashable:
        """Return a value that identifies the partial order of this execution."""
        raise NotImplementedError

    def enabled(self) -> list[Participant]:
        return [p for p in self.participants if p.next is not None and self.is_enabled(p)]

    def run(self, search: Any, *, always_choose: bool = False) -> Hashable:
        book = search.watch(self.calculus, (), coarse=False) if isinstance(search, Reachability) else None
        current: Participant | None = self.participants[0]
        while enabled := self.enabled():
            has_choice = book or always_choose or len(enabled) > 1
            chosen = search.choose(enabled, current) if has_choice else enabled[0]
            options = chosen.alternatives() if chosen.alternatives else [Outcome("")]
            at = search.choose_alternative(chosen, options) if len(options) > 1 else 0
            if len(enabled) > 1 or len(options) > 1:
                self.decisions.append(Decision(chosen.index, at if len(options) > 1 else None))
            touched = self.step(chosen, options[at].label)
            if book and touched is not None:
                book.did(chosen, touched)
            current = None if chosen.next is None else chosen
        if book:
            book.ended([p for p in self.participants if p.next is not None], cut_short=False)
        search.end()
        return self.result()

    def step(self, participant: Participant, outcome: str) -> list[Access] | None:
        touched = self.do(participant, outcome)
        participant.at += 1
        self.arrive(participant)
        return touched


def explored(search: Any, make: Callable[[], World], *, limit: int = 100_000) -> Counter[Hashable]:
    """Run a search until it is exhausted; return how many executions had each result."""
    found: Counter[Hashable] = Counter()
    for number in range(1, limit + 1):
        if not search.begin(number, 0):
            return found
        found[make().run(search)] += 1
    raise AssertionError(f"the search did not end within {limit} executions")


def brute_force(make: Callable[[], World]) -> Counter[Hashable]:
    """Return the number of schedules that lead to each result."""
    found: Counter[Hashable] = Counter()

    def below(path: tuple[tuple[int, str], ...]) -> None:
        world = make()
        for index, outcome in path:
            world.step(world.participants[index], outcome)
        enabled = world.enabled()
        for participant in enabled:
            for option in participant.alternatives() if participant.alternatives else [Outcome("")]:
                below((*path, (participant.index, option.label)))
        if not enabled:
            found[world.result()] += 1

    below(())
    return found


# -- messages ----------------------------------------------------------------------------------------------------

ANY = -1


class Send(NamedTuple):
    to: int


class Recv(NamedTuple):
    source: int = ANY


class Reply(NamedTuple):
    """A send to the rank whose message was received last."""


class Ranks(World):
    """Messages between two ranks arrive in the order they were sent. A receive from ANY accepts any rank's message.

    Two sends commute, even to the same rank. So the partial order is determined by which message each receive took.
    """

    letter = "R"

    def __init__(self, programs: Sequence[Sequence[Any]]) -> None:
        self.calculus = RankCalculus()
        self.channels: Counter[tuple[int, int]] = Counter()
        self.taken: list[list[int]] = [[] for _ in programs]
        super().__init__(programs)

    def arrive(self, participant: Participant) -> None:
        me = participant.index
        participant.alternatives = None
        if isinstance(participant.next, Recv) and participant.next.source == ANY:
            participant.alternatives = lambda: [
                Outcome(f"from R{source}") for source in range(len(self.participants)) if self.channels[source, me]
            ]
        elif isinstance(participant.next, Reply):
            participant.program[participant.at] = Send(self.taken[me][-1])

    def is_enabled(self, participant: Participant) -> bool:
        if participant.alternatives is not None:
            return bool(participant.alternatives())
        return isinstance(participant.next, Send) or self.channels[participant.next.source, participant.index] > 0

    def do(self, participant: Participant, outcome: str) -> None:
        me, instruction = participant.index, participant.next
        if isinstance(instruction, Send):
            self.channels[me, instruction.to] += 1
        else:
            source = int(outcome.removeprefix("from R")) if outcome else instruction.source
            self.channels[source, me] -= 1
            self.taken[me].append(source)

    def result(self) -> Hashable:
        return tuple((tuple(taken), p.at) for taken, p in zip(self.taken, self.participants, strict=True))


class RankReader(Reader):
    def touched(self, participant: Any, alternative: Any) -> Touched:
        instruction, me = participant.next, participant.index
        if isinstance(instruction, Send):
            return [], 0, (me, instruction.to), None, None
        source = instruction.source if alternative is None else int(alternative.label.removeprefix("from R"))
        return [], MESSAGE, (source, me), None, None

    def options(self, participant: Any) -> list[Outcome]:
        return [Outcome(f"from R{source}") for source in range(6) if source != participant.index]


class RankCalculus(Calculus):
    conflicts = ()

    def reader(self, visible: object, *, everything: bool) -> RankReader:
        return RankReader()

    def supplies(self, log: Log) -> Channels:
        return Channels(log)


# -- timeouts ----------------------------------------------------------------------------------------------------


class Acquire(NamedTuple):
    lock: int


class Release(NamedTuple):
    lock: int


class Try(NamedTuple):
    """An acquire whose timeout may expire early. If it does, the next `skipped` instructions are skipped."""

    lock: int
    skipped: int


class Locks(World):
    """Two acquires of the same lock conflict. An acquire that times out conflicts with nothing."""

    def __init__(self, programs: Sequence[Sequence[Any]]) -> None:
        self.calculus = LockCalculus()
        self.free = [[True] for _ in range(3)]
        self.takes: list[list[tuple[str, int]]] = [[] for _ in range(3)]
        self.outcomes: list[tuple[str, int, str]] = []
        super().__init__(programs)
        for participant in self.participants:
            participant.free = self.free  # type: ignore[attr-defined]

    def arrive(self, participant: Participant) -> None:
        participant.alternatives = None
        if isinstance(participant.next, Try):
            free = self.free[participant.next.lock]
            participant.alternatives = lambda: [Outcome("proceeds")] * free[0] + [Outcome("expires")]

    def is_enabled(self, participant: Participant) -> bool:
        return not isinstance(participant.next, Acquire) or self.free[participant.next.lock][0]

    def do(self, participant: Participant, outcome: str) -> None:
        instruction = participant.next
        self.outcomes.append((participant.label, participant.at, outcome))
        if outcome == "expires":
            participant.at += instruction.skipped
        elif isinstance(instruction, Release):
            self.free[instruction.lock][0] = True
        else:
            self.free[instruction.lock][0] = False
            self.takes[instruction.lock].append((participant.label, participant.at))

    def result(self) -> Hashable:
        return frozenset(self.outcomes), tuple(map(tuple, self.takes))


class LockReader(Reader):
    def touched(self, participant: Any, alternative: Any) -> Touched:
        if alternative is not None and alternative.label == "expires":
            return [], 0, None, None, None
        lock = participant.free[participant.next.lock]
        give = isinstance(participant.next, Release)
        return [(lock, "", GIVE if give else TAKE)], 0 if give else FREE, None, lock, lambda lock: (int(lock[0]),)

    def options(self, participant: Any) -> list[Outcome]:
        return [Outcome("proceeds"), Outcome("expires")]


class LockCalculus(ThreadCalculus):
    def reader(self, visible: object, *, everything: bool) -> LockReader:  # type: ignore[override]
        return LockReader()


# -- footprints that are known only after the step ---------------------------------------------------------------

READ, WRITE = range(2)


class Put(NamedTuple):
    variable: str
    value: object


class Move(NamedTuple):
    """Reads `variable`. If its value is 0, reads `if_zero`; otherwise writes `otherwise`."""

    variable: str
    if_zero: str
    otherwise: str


class Make(NamedTuple):
    """Stores a new object in a variable."""

    variable: str


class Poke(NamedTuple):
    """Changes the object stored in a variable, if there is one."""

    variable: str


class Box:
    def __init__(self, made_by: tuple[str, int]) -> None:
        self.made_by = made_by
        self.n = 0


class Tasks(World):
    """Tasks whose steps have footprints that depend on the values read, and so are known only after each step."""

    def __init__(self, programs: Sequence[Sequence[Any]]) -> None:
        self.calculus = TaskCalculus()
        self.values: dict[str, Any] = {}
        self.variables = {name: Box(("", at)) for at, name in enumerate("xyz")}
        self.steps: list[tuple[str, int, frozenset[tuple[object, int]]]] = []
        super().__init__(programs)

    def is_enabled(self, participant: Participant) -> bool:
        return True

    def do(self, participant: Participant, outcome: str) -> list[Access]:
        touched = [
            (obj, name, mode)
            for obj, name, mode in self._touched(participant.next, (participant.label, participant.at))
        ]
        names = frozenset(((obj.made_by, name), mode) for obj, name, mode in touched)  # type: ignore[attr-defined]
        self.steps.append((participant.label, participant.at, names))
        return touched

    def _touched(self, instruction: Any, me: tuple[str, int]) -> Iterator[Access]:
        values, name = self.values, instruction.variable
        value = values.get(name, 0)
        if isinstance(instruction, Put):
            values[name] = instruction.value
            yield self.variables[name], name, WRITE
        elif isinstance(instruction, Make):
            values[name] = Box(me)
            yield self.variables[name], name, WRITE
            yield values[name], "n", WRITE
        elif isinstance(instruction, Poke):
            yield self.variables[name], name, READ
            if isinstance(value, Box):
                value.n += 1
                yield value, "n", WRITE
        else:
            yield self.variables[name], name, READ
            if value == 0:
                yield self.variables[instruction.if_zero], instruction.if_zero, READ
            else:
                values[instruction.otherwise] = value
                yield self.variables[instruction.otherwise], instruction.otherwise, WRITE

    def result(self) -> Hashable:
        ordered = {
            (earlier[:2], later[:2])
            for at, later in enumerate(self.steps)
            for earlier in self.steps[:at]
            if any(key == key2 and WRITE in (mode, mode2) for key, mode in earlier[2] for key2, mode2 in later[2])
        }
        return frozenset(self.steps), frozenset(ordered)


class TaskReader(Reader):
    def touched(self, participant: Any, alternative: Any) -> None:
        return None


class TaskCalculus(Calculus):
    conflicts = conflict_table(2, {(READ, READ)})

    def reader(self, visible: object, *, everything: bool) -> TaskReader:
        return TaskReader()

    def supplies(self, log: Log) -> Nothing:
        return Nothing()
