"""One execution as a list of operations, written while it runs.

Participants are known by their labels, and what they touch by keys that mean the same in other executions (see
`Names`), so that a log can be compared with what other executions did.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from raddle.schedulers.base import Alternative
from raddle.schedulers.calculus import Access, Calculus, Level, Reader
from raddle.schedulers.dependence import Choice, Names, Operation


class Happening(Enum):
    """What can happen between two operations."""

    STARTED = auto()  # a participant started another
    WOKE = auto()  # a participant woke another
    TIME_PASSED = auto()  # all had to wait for time


class Between(NamedTuple):
    """Something that happened between two operations."""

    what: Happening
    label: str = ""
    other: str = ""
    waiting: tuple[tuple[Choice, Operation], ...] = ()  # for TIME_PASSED: the operations that could not be done


class Done(NamedTuple):
    """An operation that was done."""

    label: str
    operation: Operation
    level: tuple[int, ...] | None = None  # of its resource, just before
    late: bool = False  # the time for its wait was over
    alternative: str = ""  # the label of the outcome that was taken, if it had several
    options: tuple[tuple[str, Operation], ...] = ()  # all outcomes that it could have in some order


class Log:
    """One execution."""

    def __init__(self, calculus: Calculus) -> None:
        self.calculus = calculus
        self.done: list[Done] = []
        self.between: dict[int, list[Between]] = {}  # by the number of operations done before
        self.waiting: tuple[tuple[Choice, Operation], ...] = ()  # what was left undone at the end
        self.levels: dict[tuple[int, int], tuple[int, ...]] = {}  # at the end, by key and number of parts
        self.cut_short = False  # was it ended in the middle?

    def note(self, what: Between) -> None:
        self.between.setdefault(len(self.done), []).append(what)


class Logbook:
    """Writes the log of one execution. The engine reports what happens between operations."""

    def __init__(self, names: Names, reader: Reader, calculus: Calculus) -> None:
        names.begin()
        self.log = Log(calculus)
        self.pending: dict[Choice, Operation] = {}  # seen when it was last possible; unknown ones are missing
        self._seen: set[str] = set()  # participants whose pending operation is known and has one outcome
        self._watched: dict[Choice, tuple[Any, Level | None]] = {}  # the resource, and how to read its level
        self._names = names
        self._reader = reader
        self._counts: dict[str, int] = {}  # by participant: operations done
        self._levels: dict[tuple[int, int], tuple[Any, Level]] = {}  # how to read levels at the end
        self._overdue: set[str] = set()  # participants that could go on without what they wait for

    # -- operations ---------------------------------------------------------------------------------

    def look_at(self, participants: Sequence[Any]) -> dict[Choice, Operation]:
        """Return the pending operations; those that cannot be done just now stay as they were."""
        seen = self._seen
        for participant in participants:
            if participant.label in seen:
                continue
            if participant.alternatives is None:
                seen.add(participant.label)
                self._look_at(participant, None)
            else:
                self._look_at_each(participant, participant.alternatives())
        return self.pending

    def _look_at_each(self, participant: Any, alternatives: Sequence[Alternative]) -> None:
        for alternative in alternatives:
            if (participant.label, alternative.label) not in self.pending:
                self._look_at(participant, alternative)

    def _look_at(self, participant: Any, alternative: Alternative | None) -> None:
        label = participant.label
        touched = self._reader.touched(participant, alternative)
        if touched is None:
            return
        accesses, need, detail, resource, level = touched
        choice = label, "" if alternative is None else alternative.label
        seen, named = self._names.seen, []
        for obj, name, mode in accesses:
            known = seen.get((id(obj), name)) or self._name(obj, name, label)
            named.append((known[0], mode, known[1]))
        self.pending[choice] = Operation(tuple(named), need, detail)
        if resource is not None:
            self._watched[choice] = resource, level

    def _name(self, obj: object, name: str, label: str, place: str = "") -> tuple[int, int]:
        return self._names.add(obj, name, (label + place, self._counts.get(label, 0)), len(self.log.done))

    def do(self, participant: Any, choice: Choice) -> None:
        """Log what a participant does now, with the outcome that was chosen."""
        label, alternative = choice
        options: tuple[tuple[str, Operation], ...] = ()
        if participant.alternatives is not None:
            options = self._options(participant)
        operation = self.pending.pop(choice, None) or Operation((), depth=len(self.log.done))
        self._seen.discard(label)
        before = self._use(participant, choice, operation) if choice in self._watched else None
        if options:
            self._forget(label, options)
        # It may have been woken in the end: it need not have waited for that.
        late = participant.timed_out or label in self._overdue
        self._overdue.discard(label)
        self.log.done.append(Done(label, operation, before, late, alternative, options))
        self._counts[label] = self._counts.get(label, 0) + 1

    def _forget(self, label: str, options: tuple[tuple[str, Operation], ...]) -> None:
        """Forget the outcomes of an operation that was done."""
        for alternative, _ in options:
            self.pending.pop((label, alternative), None)
            self._watched.pop((label, alternative), None)

    def _use(self, participant: Any, choice: Choice, operation: Operation) -> tuple[int, ...] | None:
        """Return how much there is of the resource that an operation uses, just before."""
        resource, level = self._watched.pop(choice)
        key, mode, _ = operation.accesses[0]
        before = None
        if level is not None:
            before = level(resource)
            self._levels[key, len(before)] = resource, level
        if self._reader.does(participant, mode, resource, before):
            self.pending.clear()
            self._seen.clear()
        return before

    def _options(self, participant: Any) -> tuple[tuple[str, Operation], ...]:
        options = self._reader.options(participant)
        self._look_at_each(participant, options)
        labels = [option.label for option in options]
        return tuple([(name, known) for name in labels if (known := self.pending.get((participant.label, name)))])

    def did(self, participant: Any, accesses: Sequence[Access]) -> None:
        """Add what a participant's last operation touched, if that was not known in advance."""
        done, label = self.log.done, participant.label
        number = next(number for number in reversed(range(len(done))) if done[number].label == label)
        named = []
        for place, (obj, name, mode) in enumerate(accesses):
            # A step may touch many objects of one type for the first time: their places in the list tell them apart.
            known = self._names.seen.get((id(obj), name)) or self._name(obj, name, label, f"/{place}")
            named.append((known[0], mode, known[1]))
        done[number] = done[number]._replace(operation=Operation(tuple(named), depth=number))

    # -- what happens between them ------------------------------------------------------------------

    def started(self, participant: Any, other: Any) -> None:
        """Log that a participant started another one."""
        self.log.note(Between(Happening.STARTED, participant.label, other.label))

    def waits(self, participant: Any, on: object) -> None:
        """Note that a participant begins to wait to be woken."""
        self._reader.waits(participant, on)

    def notified(self, participant: Any, on: object) -> None:
        """Log that a participant woke those that no longer wait."""
        for label in self._reader.woken(on):
            self.log.note(Between(Happening.WOKE, participant.label, label))

    def time_passes(self, waiting: Sequence[Any]) -> None:
        """Log that all participants had to wait for time."""
        self.log.note(Between(Happening.TIME_PASSED, waiting=self._left(waiting)))
        self._overdue.update(participant.label for participant in waiting if participant.timed_out)

    def over(self, waiting: Sequence[Any], *, cut_short: bool) -> None:
        """End the log; `waiting` were about to do something."""
        log = self.log
        log.waiting = self._left(waiting)
        log.cut_short = cut_short
        log.levels = {key: level(resource) for key, (resource, level) in self._levels.items()}

    def _left(self, waiting: Sequence[Any]) -> tuple[tuple[Choice, Operation], ...]:
        """Return the operations that could not be done; one whose time is over waits for nothing."""
        found = []
        for participant in waiting:
            label = participant.label
            if participant.alternatives is None:
                self.look_at((participant,))
                choices = [(label, "")]
            else:
                choices = [(label, name) for name, _ in self._options(participant)]
            for choice in choices:
                operation = self.pending.get(choice)
                if operation is None:
                    continue
                resource, level = self._watched.get(choice, (None, None))
                if level is not None:
                    self._levels[operation.accesses[0][0], len(level(resource))] = resource, level
                found.append((choice, operation._replace(need=0) if label in self._overdue else operation))
        return tuple(found)
