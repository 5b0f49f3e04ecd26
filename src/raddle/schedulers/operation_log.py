"""The operation log: one execution as a list of operations, recorded while it runs.

Participants are identified by their labels, and variables and resources by keys that are stable across executions (see
`Names`). Logs of different executions can therefore be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from raddle.schedulers.base import Alternative
from raddle.schedulers.calculus import Access, Calculus, Level, Reader
from raddle.schedulers.dependence import Choice, Names, Operation


class EventKind(Enum):
    """The kinds of event that can happen between two operations."""

    STARTED = auto()  # a participant started another
    WOKE = auto()  # a participant woke another
    TIME_PASSED = auto()  # virtual time advanced, because no participant was enabled


class InterveningEvent(NamedTuple):
    """An event between two operations."""

    what: EventKind
    label: str = ""  # the participant that acts
    other: str = ""  # the participant that is started or woken
    waiting: tuple[tuple[Choice, Operation], ...] = ()  # for TIME_PASSED: the operations that were not enabled


class DoneOperation(NamedTuple):
    """An operation that was performed."""

    label: str
    operation: Operation
    level: tuple[int, ...] | None = None  # level of the operation's resource just before the operation
    late: bool = False  # True if the operation's timeout had expired
    alternative: str = ""  # label of the outcome that was taken, if the operation had several
    options: tuple[tuple[str, Operation], ...] = ()  # all outcomes that some interleaving makes possible


class Log:
    """The operations of one execution, and the events between them."""

    def __init__(self, calculus: Calculus) -> None:
        self.calculus = calculus
        self.done: list[DoneOperation] = []
        self.between: dict[int, list[InterveningEvent]] = {}  # events by the number of operations performed before them
        self.waiting: tuple[tuple[Choice, Operation], ...] = ()  # operations still pending at the end
        # Levels of resources at the end. Maps (key of the resource, number of components of its level) to the level.
        self.levels: dict[tuple[int, int], tuple[int, ...]] = {}
        self.cut_short = False  # True if the execution was aborted

    def add_event(self, event: InterveningEvent) -> None:
        """Record an event that happens after the last operation."""
        self.between.setdefault(len(self.done), []).append(event)


class Logbook:
    """Writes the log of one execution. The engine notifies it of the events between operations."""

    def __init__(self, names: Names, reader: Reader, calculus: Calculus) -> None:
        names.begin()
        self.log = Log(calculus)
        # Pending operations, as described when they were last enabled. Operations whose accesses are known only after
        # the step are missing.
        self.pending: dict[Choice, Operation] = {}
        self._described: set[str] = set()  # participants whose pending operation has been described and has one outcome
        self._used: dict[Choice, tuple[Any, Level | None]] = {}  # each choice's resource and level function
        self._names = names
        self._reader = reader
        self._counts: dict[str, int] = {}  # number of operations performed, by participant
        self._levels: dict[tuple[int, int], tuple[Any, Level]] = {}  # resources whose level is read at the end
        self._overdue: set[str] = set()  # participants whose timeout has expired, so they need nothing to continue

    # -- operations ---------------------------------------------------------------------------------

    def describe_pending(self, participants: Sequence[Any]) -> dict[Choice, Operation]:
        """Describe the pending operations of these participants; return the descriptions for all participants."""
        described = self._described
        for participant in participants:
            if participant.label in described:
                continue
            if participant.alternatives is None:
                described.add(participant.label)
                self._describe(participant, None)
            else:
                self._describe_each(participant, participant.alternatives())
        return self.pending

    def _describe_each(self, participant: Any, alternatives: Sequence[Alternative]) -> None:
        for alternative in alternatives:
            if (participant.label, alternative.label) not in self.pending:
                self._describe(participant, alternative)

    def _describe(self, participant: Any, alternative: Alternative | None) -> None:
        label = participant.label
        touched = self._reader.touched(participant, alternative)
        if touched is None:
            return
        accesses, need, detail, resource, level = touched
        choice = label, "" if alternative is None else alternative.label
        assigned, keyed = self._names.assigned, []
        for obj, name, mode in accesses:
            key = assigned.get((id(obj), name)) or self._assign_key(obj, name, label)
            keyed.append((key[0], mode, key[1]))
        self.pending[choice] = Operation(tuple(keyed), need, detail)
        if resource is not None:
            self._used[choice] = resource, level

    def _assign_key(self, obj: object, name: str, label: str, place: str = "") -> tuple[int, int]:
        return self._names.add(obj, name, (label + place, self._counts.get(label, 0)), len(self.log.done))

    def do(self, participant: Any, choice: Choice) -> None:
        """Log the operation that a participant performs now; `choice` includes the outcome that was chosen."""
        label, alternative = choice
        options: tuple[tuple[str, Operation], ...] = ()
        if participant.alternatives is not None:
            options = self._options(participant)
        operation = self.pending.pop(choice, None) or Operation((), depth=len(self.log.done))
        self._described.discard(label)
        before = self._use(participant, choice, operation) if choice in self._used else None
        if options:
            self._forget(label, options)
        # The participant may also have been woken after its timeout expired, but it did not need the wake-up.
        late = participant.timed_out or label in self._overdue
        self._overdue.discard(label)
        self.log.done.append(DoneOperation(label, operation, before, late, alternative, options))
        self._counts[label] = self._counts.get(label, 0) + 1

    def _forget(self, label: str, options: tuple[tuple[str, Operation], ...]) -> None:
        """Remove all alternatives of an operation that has been performed."""
        for alternative, _ in options:
            self.pending.pop((label, alternative), None)
            self._used.pop((label, alternative), None)

    def _use(self, participant: Any, choice: Choice, operation: Operation) -> tuple[int, ...] | None:
        """Report the use of a resource to the `Reader`; return the resource's level just before that use."""
        resource, level = self._used.pop(choice)
        key, mode, _ = operation.accesses[0]
        before = None
        if level is not None:
            before = level(resource)
            self._levels[key, len(before)] = resource, level
        if self._reader.does(participant, mode, resource, before):
            self.pending.clear()
            self._described.clear()
        return before

    def _options(self, participant: Any) -> tuple[tuple[str, Operation], ...]:
        options = self._reader.options(participant)
        self._describe_each(participant, options)
        labels = [option.label for option in options]
        return tuple([(name, pending) for name in labels if (pending := self.pending.get((participant.label, name)))])

    def did(self, participant: Any, accesses: Sequence[Access]) -> None:
        """Add the accesses of a participant's last operation, if they were not known in advance."""
        done, label = self.log.done, participant.label
        number = next(number for number in reversed(range(len(done))) if done[number].label == label)
        keyed = []
        for place, (obj, name, mode) in enumerate(accesses):
            # A step may touch many new objects of one type. Their positions in the list distinguish them.
            key = self._names.assigned.get((id(obj), name)) or self._assign_key(obj, name, label, f"/{place}")
            keyed.append((key[0], mode, key[1]))
        done[number] = done[number]._replace(operation=Operation(tuple(keyed), depth=number))

    # -- events between operations ------------------------------------------------------------------

    def started(self, participant: Any, other: Any) -> None:
        """Log that one participant started another."""
        self.log.add_event(InterveningEvent(EventKind.STARTED, participant.label, other.label))

    def waits(self, participant: Any, on: object) -> None:
        """Report to the `Reader` that a participant starts to wait for a notification."""
        self._reader.waits(participant, on)

    def notified(self, participant: Any, on: object) -> None:
        """Log which waiting participants a notification has woken."""
        for label in self._reader.woken(on):
            self.log.add_event(InterveningEvent(EventKind.WOKE, participant.label, label))

    def time_passes(self, waiting: Sequence[Any]) -> None:
        """Log that virtual time advanced, because no participant was enabled."""
        self.log.add_event(InterveningEvent(EventKind.TIME_PASSED, waiting=self._unperformed(waiting)))
        self._overdue.update(participant.label for participant in waiting if participant.timed_out)

    def ended(self, waiting: Sequence[Any], *, cut_short: bool) -> None:
        """Finish the log; `waiting` holds the participants with a pending operation."""
        log = self.log
        log.waiting = self._unperformed(waiting)
        log.cut_short = cut_short
        log.levels = {key: level(resource) for key, (resource, level) in self._levels.items()}

    def _unperformed(self, waiting: Sequence[Any]) -> tuple[tuple[Choice, Operation], ...]:
        """Return the pending operations of waiting participants.

        An operation whose timeout has expired needs nothing else in order to be enabled.
        """
        found = []
        for participant in waiting:
            label = participant.label
            if participant.alternatives is None:
                self.describe_pending((participant,))
                choices = [(label, "")]
            else:
                choices = [(label, name) for name, _ in self._options(participant)]
            for choice in choices:
                operation = self.pending.get(choice)
                if operation is None:
                    continue
                resource, level = self._used.get(choice, (None, None))
                if level is not None:
                    self._levels[operation.accesses[0][0], len(level(resource))] = resource, level
                found.append((choice, operation._replace(need=0) if label in self._overdue else operation))
        return tuple(found)
