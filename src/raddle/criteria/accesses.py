"""Accesses, as the criteria of Lu, Jiang and Zhou (2007) name them.

The paper speaks of the events of a program under one input: the n-th of a thread is the same event in every
interleaving. Here an access is named by its thread, by reading or writing, by its site, and by its occurrence:
how often the thread had done that to this variable there. Three departures:

* A thread is named by descent, see `raddle.criteria.descent`: numbers of threads differ between executions.
* Occurrences are counted up to a most (16 unless told). All later ones count as the last, so that memory does not
  grow with the execution; for loops that go on longer, requirements are coarser.
* Variables are told apart within an execution, and named by their abstract variable: the accesses to two objects
  made in the same place have the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar

from raddle.cast import AbstractVariable, Cast
from raddle.criteria.descent import Labels
from raddle.step import Step
from raddle.tally import Key

Access = tuple[str, str, int, int]  # thread, "read" or "write", site, occurrence
OCCURRENCES = 16
Fact = tuple[Any, ...]  # numbers of accesses to a variable, one of the first two real; and words
NOBODY = -1  # in place of the number of an access
_MOST_KEYS = 1 << 16  # kept in case they are needed again; only short executions come again and again


class Place:
    """Where one thread stands with one variable."""

    __slots__ = ("last", "missed", "time", "wrote")

    def __init__(self) -> None:
        self.last = NOBODY  # its last access, or its last write: as the criterion needs
        self.time = 0  # of that access, by the variable's clock
        self.missed = 0  # what others did since, as bits, as far as the variable does not remember it
        self.wrote = False  # was that access a write?


class Variable:
    """What a criterion remembers of one variable of the execution, not of an abstract one."""

    __slots__ = ("number", "places")

    def __init__(self, number: int) -> None:
        self.number = number
        self.places: dict[int, Place] = {}  # by thread; the variable is shared if there are two


V = TypeVar("V", bound=Variable)


class Spot(Generic[V]):
    """All accesses that look alike: one thread, reading or writing one variable at one site."""

    __slots__ = ("access", "first", "last", "place", "variable")

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last

    access: int  # the one that happened last
    variable: V
    place: Place


class Names(Generic[V]):
    """The accesses of an execution, by number; `spots` gives out the numbers.

    A number is all that is needed while steps come, see the loops of the criteria; names are made when somebody
    asks. That two threads share a variable shows in new spots only, so nobody else looks for it.

    Numbers stay from one execution to the next. Where all threads and variables are again what they were, as in
    the executions of one scenario, the names made then are good still; to make them anew would cost more than
    all the rest.
    """

    def __init__(self, *, occurrences: int, nobody: str, variable: Callable[[int], V]) -> None:
        self._occurrences = occurrences
        self._nobody = nobody  # what a key says in place of NOBODY
        self._variable = variable
        self._known: dict[Step, Spot[V]] = {}
        self._steps: list[Step] = []  # number // occurrences -> what all accesses of the spot look like
        self._meaning: tuple[object, ...] = ()  # of the numbers of threads and variables, for these names:
        self._accesses: dict[int, Access] = {}
        self._keys: dict[Fact, Key] = {}
        self._noted: dict[Step, int] = {}
        self.begin(Cast())

    def begin(self, cast: Cast) -> None:
        """An execution begins."""
        self.labels = Labels()
        self.spots: dict[Step, Spot[V]] = {}
        self.variables: dict[int, V] = {}
        self._threads: dict[int, None] = {}  # in the order of their first accesses
        self._cast = cast
        self._valid = False  # are the names known to be those of this execution?

    def new_spot(self, step: Step) -> Spot[V]:
        """A thread reads or writes a variable at a site for the first time in this execution."""
        thread, _, number, _ = step
        variable = self.variables.get(number)
        if variable is None:
            variable = self.variables[number] = self._variable(number)
        place = variable.places.get(thread)
        if place is None:
            place = variable.places[thread] = Place()
            self._threads[thread] = None
        spot = self._known.get(step)
        if spot is None:
            first = len(self._steps) * self._occurrences
            spot = self._known[step] = Spot(first, first + self._occurrences - 1)
            self._steps.append(step)
        spot.access, spot.variable, spot.place = spot.first - 1, variable, place
        self.spots[step] = spot
        return spot

    def settle(self, *, final: bool) -> None:
        """Names are going to be asked for. When it is final, every thread has one."""
        meaning: tuple[object, ...] = ()
        if final:
            self.labels.settle(self._threads)
            meaning = ({thread: self.labels.of(thread) for thread in self._threads}, list(self._cast.variables))
        if not self._valid and (not final or meaning != self._meaning):
            self._accesses, self._keys, self._noted = {}, {}, {}
        self._meaning, self._valid = meaning, True

    def step(self, access: int) -> Step:
        """Thread, kind, variable and site of an access."""
        return self._steps[access // self._occurrences]

    def abstract(self, variable: int) -> AbstractVariable:
        """What a variable of the execution is in every execution."""
        return self._cast.variables[variable]

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
            any_of_them = fact[0] if fact[0] != NOBODY else fact[1]
            number = steps[any_of_them // occurrences][2]
            key: Key | None = None
            if len(variables[number].places) > 1:
                key = known.get(fact) or self._key(number, fact)
            if key is None:
                waiting.append(fact)
            else:
                found.add(key)
        return found, waiting

    def _key(self, variable: int, fact: Fact) -> Key | None:
        key: list[Any] = [self.abstract(variable)]
        for part in fact:
            name = part if isinstance(part, str) else self._nobody if part == NOBODY else self.access(part)
            if name is None:
                return None
            key.append(name)
        made = tuple(key)
        if len(self._keys) < _MOST_KEYS:
            self._keys[fact] = made
        return made

    def of_shared(self) -> Iterator[tuple[AbstractVariable, int]]:
        """Every access to a shared variable that happened, and the variable."""
        for (_, _, number, _), spot in self.spots.items():
            if len(spot.variable.places) > 1:
                variable = self._cast.variables[number]
                for access in range(spot.first, spot.access + 1):
                    yield variable, access

    def note(self, accesses: set[tuple[AbstractVariable, Access]]) -> None:
        """Add the accesses to shared variables that happened, but for those of which that is known already."""
        noted = self._noted
        for step, spot in self.spots.items():
            last = spot.access
            if noted.get(step, NOBODY) >= last or len(spot.variable.places) < 2 or self.labels.of(step[0]) is None:
                continue
            noted[step] = last
            variable = self._cast.variables[step[2]]
            accesses.update((variable, self.named(access)) for access in range(spot.first, last + 1))


@dataclass(slots=True)
class AccessesSeen:
    """What all executions showed of what a program does to shared variables: the formulas' arguments.

    Each criterion notes the part that its own formula needs. Those of other executions, and of other criteria,
    can be added.

    >>> one = AccessesSeen(1, {(AbstractVariable("m.py", "", "x"), ("T1", "read", 70001, 1))})
    >>> len((one + one).accesses), AccessesSeen.from_json(one.as_json()) == one
    (1, True)
    """

    executions: int = 0
    accesses: set[tuple[AbstractVariable, Access]] = field(default_factory=set)
    # What a read finds if no other thread comes in between: its own thread's last write, or "initial".
    sources: set[tuple[AbstractVariable, Access | str, Access]] = field(default_factory=set)
    pairs: set[tuple[AbstractVariable, Access, Access]] = field(default_factory=set)  # consecutive
    # The whole of what one thread did in one execution, to all variables (None) or to one of them: how many
    # accesses, and a digest of them.
    lines: set[tuple[AbstractVariable | None, str, int, str]] = field(default_factory=set)
    meetings: set[tuple[str, ...]] = field(default_factory=set)  # threads that took part in one execution

    def __add__(self, other: AccessesSeen) -> AccessesSeen:
        result = AccessesSeen(self.executions + other.executions)
        for name in _PARTS:
            setattr(result, name, getattr(self, name) | getattr(other, name))
        return result

    def as_json(self) -> dict[str, Any]:
        """For the data file; the same for equal values."""
        parts = {name: sorted(map(_lists, getattr(self, name)), key=repr) for name in _PARTS}
        return {"executions": self.executions, **parts}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> AccessesSeen:
        """What `as_json` gave."""
        result = cls(data["executions"])
        for name in _PARTS:
            setattr(result, name, {_with_variable(name, _tuples(item)) for item in data[name]})
        return result


_PARTS = tuple(part.name for part in fields(AccessesSeen) if part.name != "executions")


def _lists(value: Any) -> Any:
    return [_lists(part) for part in value] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value


def _with_variable(name: str, item: tuple[Any, ...]) -> tuple[Any, ...]:
    if name == "meetings" or item[0] is None:
        return item
    return AbstractVariable(*item[0]), *item[1:]
