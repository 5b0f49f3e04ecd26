"""The trace of an execution: its events with the happens-before relation, as the set of events before each event.

An event happens after the earlier events of its rank. A receive happens after the send of its message, the completion
of a synchronous send after the receive, and the completion of a collective call after the entries that it needs. A
posted receive takes its message at an event of its own, which happens after it was posted. Two further rules follow
from the order in which MPI matches messages: the event happens after those of earlier posted receives that accept its
message, and after the receives of earlier messages that it accepts from the same source.

The trace is computed from the history of the exchange, without the engine's operation log or the calculus of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator

from raddle.messages.choices import REFUSED, Choice, Decided, choice_of, outcome_of
from raddle.mpi.completion import Completion, PendingReceive, PendingSend
from raddle.mpi.exchange import Exchange
from raddle.mpi.history import Action
from raddle.mpi.message import Message, Receive
from raddle.mpi.operations import (
    COMPLETE,
    JOIN_IN,
    MATCH,
    PASS_TIME,
    POLL,
    POST,
    PROBE,
    RECV,
    SEND,
    SENT,
    TEST,
    WAIT_FOR,
)

Channel = tuple[int, int, int]  # source, destination and context
Inbox = tuple[int, int]  # rank and context


class MessageTrace:
    """The events of one execution, numbered in the order in which they happened.

    Sets of events are integers: bit n is set if the set contains event n.
    """

    def __init__(self, exchange: Exchange) -> None:
        self.size = exchange.size
        self.events: list[Action] = exchange.history
        self.past: list[int] = []  # by event: the events that happen before it, and itself
        self.decided: list[tuple[int, Decided]] = []  # events that are choices, with their outcomes
        self.channels: dict[Channel, list[Message]] = {}  # messages in the order in which they were sent
        self.posted: dict[
            Inbox, list[Receive]
        ] = {}  # receives that do not block, in the order in which they were posted
        self._probed: dict[tuple[int, int], Message] = {}  # by rank and number of the probe
        self._sends: dict[tuple[int, int], int] = {}  # by source and number of the message
        self._takes: dict[tuple[int, int], int] = {}  # receives of messages, by rank and number of the receive
        self._posts: dict[tuple[int, int], int] = {}  # posted receives, by rank and number of the receive
        self._entries: dict[tuple[int, int, int], int] = {}  # by context, number of the call and rank
        self._read()

    def _read(self) -> None:
        last: dict[int, int] = {}  # by rank: its last event
        everything = 0  # the events before virtual time last advanced
        for number, event in enumerate(self.events):
            rank, kind, target, taken, refusable = event
            choice = choice_of(kind, target)
            past = everything | 1 << number
            if kind == MATCH:
                past |= self.past[self._posts[rank, target.number]]
            elif rank in last:
                past |= self.past[last[rank]]
            for cause in self._causes(event):
                past |= self.past[cause]
            passes_time = kind == PASS_TIME
            if choice is not None:
                outcome = outcome_of(target, taken)
                self.decided.append((number, Decided(choice, outcome)))
                passes_time = outcome == REFUSED and not refusable
            if passes_time:  # it happens after everything that has happened, and before everything that follows
                past = everything = (2 << number) - 1
            self.past.append(past)
            self._note(number, event)
            if kind != MATCH:
                last[rank] = number

    def _note(self, number: int, event: Action) -> None:
        """Remember an event, so that later events can be related to it."""
        kind, target = event.kind, event.target
        if kind == SEND:
            self._sends[target.source, target.number] = number
            self.channels.setdefault((target.source, target.destination, target.context), []).append(target)
        elif kind == POST:
            self._posts[target.rank, target.number] = number
            self.posted.setdefault((target.rank, target.context), []).append(target)
        elif kind in (RECV, MATCH, PROBE, POLL) and target.takes and target.message is not None:
            self._takes[target.rank, target.number] = number
        elif kind in (PROBE, POLL) and target.message is not None:
            self._probed[target.rank, target.number] = target.message
        elif kind == JOIN_IN:
            self._entries[target.call.context, target.call.number, event.rank] = number

    def _causes(self, event: Action) -> Iterator[int]:
        """Yield the events of other participants that an event has to follow."""
        kind, target = event.kind, event.target
        if kind in (RECV, MATCH, PROBE, POLL):
            if target.message is not None:
                yield from self._before_taking(target, target.message)
        elif kind == SENT:
            yield self.take(target)
        elif kind in (WAIT_FOR, TEST):
            completion = target if isinstance(target, Completion) else dict(target.parts()).get(event.taken)
            if completion is not None:
                yield from self.needs(completion)
        elif kind == COMPLETE:
            for rank in target.ranks:
                yield self._entries[target.call.context, target.call.number, rank]

    def _before_taking(self, receive: Receive, message: Message) -> Iterator[int]:
        """Yield the events before a receive takes a message."""
        yield self.send(message)
        posted = self.posted.get((receive.rank, receive.context))
        if not posted:
            return  # earlier receives have returned, so their events precede this one anyway
        for other in posted:
            if other.number < receive.number and other.accepts(message):
                yield self._takes[other.rank, other.number]
        for earlier in self.channels[message.source, message.destination, message.context]:
            if earlier.number >= message.number:
                break
            if receive.accepts(earlier):
                yield self.take(earlier)

    # -- events of messages, receives and requests ----------------------------------------------------

    def send(self, message: Message) -> int:
        """Return the event at which a message was sent."""
        return self._sends[message.source, message.number]

    def take(self, message: Message) -> int:
        """Return the event at which a message was received; -1 if it was not."""
        receive = message.receive
        return -1 if receive is None else self.match(receive)

    def match(self, receive: Receive) -> int:
        """Return the event at which a receive took its message; -1 if it has none."""
        return self._takes.get((receive.rank, receive.number), -1)

    def taker(self, rank: int, number: int) -> int:
        """Return the number of the receive that took the message found by a probe, or of the receive itself."""
        message = self._probed.get((rank, number))
        return number if message is None or message.receive is None else message.receive.number

    def receive_of(self, message: tuple[int, ...]) -> Receive | None:
        """Return the receive that took the message with this source and number; None if it was not received."""
        source, number = message
        sent: Message = self.events[self._sends[source, number]].target
        return sent.receive

    def needs(self, completion: Completion) -> Iterator[int]:
        """Yield the events that complete these requests; -1 for a request that was not completed."""
        for pending in completion.pending:
            if isinstance(pending, PendingReceive):
                yield self.match(pending.receive)
            elif isinstance(pending, PendingSend) and pending.message.synchronous:
                yield self.take(pending.message)

    # -- sets of events -------------------------------------------------------------------------------

    def outcomes(self) -> dict[Choice, tuple[int, ...]]:
        """Return the outcome of each choice."""
        return {decided.choice: decided.outcome for _, decided in self.decided}

    def outcome(self, choice: Choice) -> tuple[int, ...]:
        """Return the outcome of a choice; empty if nothing was found."""
        return next(decided.outcome for _, decided in self.decided if decided.choice == choice)

    def unaffected(self, event: int) -> int:
        """Return the events that do not happen after an event; the event itself is not one of them."""
        everything = (1 << event) - 1
        for number in range(event + 1, len(self.past)):
            if not self.past[number] >> event & 1:
                everything |= 1 << number
        return everything
