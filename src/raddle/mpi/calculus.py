"""The calculus of ranks: which operations of an MPI program enable which others.

Two operations of different participants always commute. Only the alternatives of one receive exclude each other. So
the partial order of an execution is determined by which message each receive took, which is the SYN-sequence of Lei and
Carver (Reachability testing of concurrent programs, TSE 2006).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from raddle.mpi.constants import ANY_SOURCE, ANY_TAG
from raddle.mpi.inbox import NOTHING, from_rank
from raddle.mpi.operations import COMPLETE, JOIN_IN, MATCH, POLL, PROBE, RECV, SEND, SENT, TEST, WAIT_FOR
from raddle.schedulers.base import Alternative, Thread
from raddle.schedulers.calculus import Calculus, Past, Reader, Supplies, Touched
from raddle.schedulers.dependence import Operation
from raddle.schedulers.operation_log import Log


class Need(IntEnum):
    """What an operation needs in order to be enabled."""

    NOTHING = 0
    MESSAGE = 1  # a message that no receive has taken
    RECEIVE = 2  # the receive of a message that was sent synchronously
    MATCHES = 3  # messages for posted receives
    ENTRIES = 4  # other ranks that enter a collective call


@dataclass(frozen=True, slots=True)
class Sent:
    """The detail of a send, or of its completion."""

    source: int
    number: int  # position among the messages of the source
    destination: int
    context: int
    tag: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """The detail of a receive or a probe that takes a message from `taken_from`, its `source` if that is a rank."""

    rank: int
    number: int  # position among the receives of the rank
    context: int
    source: int
    tag: int
    takes: bool
    taken_from: int

    def accepts(self, sent: Sent) -> bool:
        """Return whether the source and the tag of a message fit."""
        return self.source in (ANY_SOURCE, sent.source) and self.tag in (ANY_TAG, sent.tag)


@dataclass(frozen=True, slots=True)
class Matches:
    """The detail of a wait for requests: the numbers of posted receives and of synchronous sends of the rank."""

    rank: int
    receives: tuple[int, ...]
    sends: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Entered:
    """The detail of an entry into a collective call, or of its completion, which needs the entries of `ranks`."""

    context: int
    number: int
    ranks: tuple[int, ...]


class MpiReader(Reader):
    """Describes the operations of ranks."""

    def __init__(self, size: int, polls: int) -> None:
        self._sources = tuple(from_rank(source) for source in range(size))
        self._polls = polls  # how many times in a row a poll may be refused

    def touched(self, participant: Any, alternative: Any) -> Touched:
        kind, target = participant.kind, participant.target
        if kind in (SEND, SENT):
            sent = Sent(target.source, target.number, target.destination, target.context, target.tag)
            return [], Need.RECEIVE if kind == SENT else Need.NOTHING, sent, None, None
        if kind in (RECV, MATCH, PROBE, POLL):
            source = target.source if alternative is None else alternative.value
            if source is None:  # a poll that finds nothing
                return [], Need.NOTHING, None, None, None
            wanted = Wanted(target.rank, target.number, target.context, target.source, target.tag, target.takes, source)
            return [], Need.MESSAGE, wanted, None, None
        if kind in (WAIT_FOR, TEST):
            matches = target.needs(alternative)
            return [], Need.MATCHES if matches is not None else Need.NOTHING, matches, None, None
        if kind in (JOIN_IN, COMPLETE):
            return [], Need.ENTRIES if kind == COMPLETE else Need.NOTHING, target.detail, None, None
        return [], Need.NOTHING, None, None, None

    def options(self, participant: Thread) -> Sequence[Alternative]:
        """Return an alternative for each rank, because each may still send a message."""
        target: Any = participant.target
        if participant.kind in (RECV, MATCH, PROBE):
            return self._sources
        rank: Any = participant
        may_be_refused = rank.own.refusals < self._polls
        if participant.kind == POLL:
            sources = self._sources if target.is_wildcard else (from_rank(target.source),)
            return (*sources, NOTHING) if may_be_refused else sources
        options: Sequence[Alternative] = target.options(may_be_refused=may_be_refused)
        return options


class MpiCalculus(Calculus):
    """Rules for ranks: all operations commute, and a message enables the receive that takes it."""

    conflicts = ()

    def __init__(self, size: int, polls: int) -> None:
        self._size = size
        self._polls = polls

    def reader(self, visible: Container[str], *, everything: bool) -> MpiReader:
        return MpiReader(self._size, self._polls)

    def supplies(self, log: Log) -> MpiSupplies:
        return MpiSupplies(log)


class MpiSupplies(Supplies):
    """Determines which sends, receives and entries of one execution enable which operations."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._channels: dict[tuple[int, int, int], list[tuple[int, Sent]]] = {}  # by source, destination and context
        self._sends: dict[tuple[int, int], int] = {}  # number of the operation, by source and number of the message
        self._takers: dict[int, int] = {}  # by number of a send: number of the receive that took the message
        self._receives: dict[tuple[int, int], int] = {}  # number of the operation, by rank and number of the receive
        self._wanted: dict[tuple[int, int], dict[int, Wanted]] = {}  # receives, by rank and context, then by number
        self._entries: dict[tuple[int, int, int], int] = {}  # by context, number of the call and rank
        self._scan()

    def _scan(self) -> None:
        for number, done in enumerate(self._log.done):
            detail = done.operation.detail
            if isinstance(detail, Sent) and done.operation.need == Need.NOTHING:
                self._channels.setdefault((detail.source, detail.destination, detail.context), []).append(
                    (number, detail)
                )
                self._sends[detail.source, detail.number] = number
            elif isinstance(detail, Wanted):
                self._note(detail)
                self._receives[detail.rank, detail.number] = number
                if detail.takes:
                    taken = self._first(detail, (1 << number) - 1, at=number)
                    assert taken is not None
                    self._takers[taken] = number
            elif isinstance(detail, Entered) and done.operation.need == Need.NOTHING:
                self._entries[detail.context, detail.number, detail.ranks[0]] = number
        for _, operation in self._log.waiting:
            if isinstance(operation.detail, Wanted):
                self._note(operation.detail)

    def _note(self, wanted: Wanted) -> None:
        if wanted.takes:
            self._wanted.setdefault((wanted.rank, wanted.context), {})[wanted.number] = wanted

    # -- messages -----------------------------------------------------------------------------------

    def _first(self, wanted: Wanted, within: int, at: int = -1) -> int | None:
        """Return the send of the first message that a receive accepts on its channel, given the operations `within`.

        `at` is the number of the receive, if it was performed.
        """
        for number, sent in self._channels.get((wanted.taken_from, wanted.rank, wanted.context), ()):
            if within >> number & 1 and wanted.accepts(sent):
                taker = self._takers.get(number, -1)
                if taker < 0 or taker == at or not within >> taker & 1:
                    return number
        return None

    def _claims(self, wanted: Wanted, sent: Sent) -> Iterator[int]:
        """Yield the earlier receives of the rank that accept a message, by number of operation.

        The number of a receive that was not performed is -1.
        """
        for number, other in self._wanted.get((wanted.rank, wanted.context), {}).items():
            if number < wanted.number and other.accepts(sent):
                yield self._receives.get((wanted.rank, number), -1)

    def _sent(self, number: int) -> Sent:
        detail: Sent = self._log.done[number].operation.detail
        return detail

    # -- the interface of supplies -------------------------------------------------------------------

    def possible(self, operation: Operation, within: int) -> bool:
        detail = operation.detail
        if operation.need == Need.MESSAGE:
            send = self._first(detail, within)
            if send is None:
                return False
            return all(claim >= 0 and within >> claim & 1 for claim in self._claims(detail, self._sent(send)))
        return all(number >= 0 and within >> number & 1 for number in self._needed(operation))

    def _needed(self, operation: Operation) -> Iterator[int]:
        """Yield the operations that this one needs, unless it receives; -1 stands for one that was not performed."""
        detail = operation.detail
        if operation.need == Need.RECEIVE:
            yield self._taker(detail.source, detail.number)
        elif operation.need == Need.MATCHES:
            yield from (self._receives.get((detail.rank, number), -1) for number in detail.receives)
            yield from (self._taker(detail.rank, number) for number in detail.sends)
        elif operation.need == Need.ENTRIES:
            yield from (self._entries.get((detail.context, detail.number, rank), -1) for rank in detail.ranks)

    def _taker(self, source: int, number: int) -> int:
        send = self._sends.get((source, number), -1)
        return self._takers.get(send, -1)

    def enabler(self, operation: Operation, within: int) -> int:
        if operation.need == Need.MESSAGE:
            send = self._first(operation.detail, within)
            return -1 if send is None else send
        return max((number for number in self._needed(operation) if number >= 0 and within >> number & 1), default=-1)

    def enabler_so_far(self, operation: Operation, number: int) -> int:
        if operation.need == Need.MESSAGE:
            send = self._first(operation.detail, (1 << number) - 1, at=number)
            return -1 if send is None else send
        return self.enabler(operation, (1 << number) - 1)

    def certain_predecessors(self, label: str, operation: Operation, number: int, past: Past) -> int:
        done = self._log.done
        if operation.need != Need.MESSAGE:
            needed = self._needed(operation)
        elif number < len(done) and done[number].operation is operation:
            needed = self._before_receive(operation.detail, number)
        else:
            return 0  # another message may be received
        mask = 0
        for other in needed:
            if 0 <= other < number:
                mask |= past.before[other]
        return mask

    def _before_receive(self, wanted: Wanted, number: int) -> Iterator[int]:
        """Yield the receives that must precede a performed one, because they took messages that it accepts."""
        send = self._first(wanted, (1 << number) - 1, at=number)
        assert send is not None
        yield from self._claims(wanted, self._sent(send))
        for earlier, sent in self._channels[wanted.taken_from, wanted.rank, wanted.context]:
            if earlier < send and wanted.accepts(sent):
                yield self._takers.get(earlier, -1)
