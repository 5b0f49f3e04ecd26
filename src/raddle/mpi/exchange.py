"""The exchange: everything that the ranks of one execution share, and the state of each rank."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from raddle.engine.participant import Alternative
from raddle.mpi.collective_call import CollectiveCall
from raddle.mpi.history import Action
from raddle.mpi.inbox import Inbox
from raddle.mpi.message import Message, Receive
from raddle.mpi.opened import Opened
from raddle.operation import Kind

WORLD_CONTEXT = 0


class RankState:
    """The state of one rank: how many operations it has performed, as needed to number them."""

    __slots__ = ("actors", "at_exit", "entered", "number", "opened", "receives", "refusals", "selections", "sends")

    def __init__(self, number: int) -> None:
        self.number = number
        self.sends = 0
        self.receives = 0  # receives and probes
        self.actors = 0  # posted receives, each of which is a participant of its own
        self.refusals = 0  # polls in a row that found nothing
        self.selections = 0  # tests, and waits for any of several operations
        self.entered: dict[int, int] = {}  # number of collective calls, by context
        self.at_exit: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = []  # functions for its end
        self.opened: list[Opened] = []  # requests, communicators and the like


class Exchange:
    """The messages and collective calls of one execution."""

    __slots__ = (
        "_calls", "_contexts", "_inboxes", "history", "messages", "ranks", "receives", "remarks", "size"
    )  # fmt: skip

    def __init__(self, size: int) -> None:
        self.size = size
        self.ranks = [RankState(number) for number in range(size)]
        self.messages: list[Message] = []  # in the order in which they were sent
        self.receives: list[Receive] = []  # in the order in which they were posted
        self.history: list[Action] = []  # in the order in which the operations returned
        self.remarks: list[tuple[str, int, str, str]] = []  # kind of warning, rank, subject and sentence
        self._inboxes: dict[tuple[int, int], Inbox] = {}
        self._calls: dict[tuple[int, int], CollectiveCall] = {}
        self._contexts: dict[Hashable, int] = {}

    def record(
        self, rank: int, kind: Kind, target: object, taken: Alternative | None = None, *, refusable: bool = False
    ) -> None:
        """Add an operation of a rank to the history."""
        self.history.append(Action(rank, kind, target, taken, refusable))

    def inbox(self, rank: int, context: int) -> Inbox:
        """Return the inbox of a rank in a communicator."""
        key = rank, context
        inbox = self._inboxes.get(key)
        if inbox is None:
            inbox = self._inboxes[key] = Inbox()
        return inbox

    def new_message(
        self, source: int, destination: int, context: int, tag: int, payload: Any, *, synchronous: bool
    ) -> Message:
        """Return a message that `source` is about to send."""
        rank = self.ranks[source]
        message = Message(source, destination, context, tag, rank.sends, payload, synchronous)
        rank.sends += 1
        return message

    def new_receive(self, rank: int, context: int, source: int, tag: int, *, takes: bool = True) -> Receive:
        """Return a receive or a probe that `rank` is about to post."""
        state = self.ranks[rank]
        receive = Receive(rank, context, source, tag, state.receives, takes)
        state.receives += 1
        self.receives.append(receive)
        return receive

    def collective_call(self, rank: int, context: int, members: tuple[int, ...]) -> CollectiveCall:
        """Return the collective call of a communicator that `rank` enters next."""
        entered = self.ranks[rank].entered
        number = entered.get(context, 0)
        entered[context] = number + 1
        key = context, number
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = CollectiveCall(context, number, members)
        return call

    @property
    def calls(self) -> dict[tuple[int, int], CollectiveCall]:
        """All collective calls so far, by context and number."""
        return self._calls

    def context(self, key: Hashable) -> int:
        """Return the context of a new communicator.

        All its members pass the same key, and members of different communicators pass different keys.
        """
        return self._contexts.setdefault(key, len(self._contexts) + WORLD_CONTEXT + 1)
