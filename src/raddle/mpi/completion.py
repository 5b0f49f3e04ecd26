"""The completion of posted receives, sends and collective calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from raddle.engine.carrier import Carrier
from raddle.engine.participant import Alternative
from raddle.mpi.calculus import Entered, Matches
from raddle.mpi.collective_call import CollectiveCall, Entry
from raddle.mpi.collective_checks import check_entry
from raddle.mpi.message import Message, Receive
from raddle.mpi.operations import COMPLETE, JOIN_IN, MESSAGE, TEST, WAIT_FOR
from raddle.mpi.point_to_point import choose_or_refuse, may_be_refused, running, world_of


class Pending(Protocol):
    """A nonblocking operation."""

    @property
    def is_complete(self) -> bool:
        """Whether a wait for the operation returns at once."""


@dataclass(frozen=True, slots=True)
class PendingReceive:
    """A posted receive."""

    receive: Receive

    @property
    def is_complete(self) -> bool:
        """Whether the receive has taken a message."""
        return self.receive.message is not None


@dataclass(frozen=True, slots=True)
class PendingSend:
    """A nonblocking send."""

    message: Message

    @property
    def is_complete(self) -> bool:
        """Whether the message was buffered, or a receive has taken it."""
        return not self.message.synchronous or self.message.receive is not None


@dataclass(frozen=True, slots=True)
class Completion:
    """What a rank waits for: all of these operations."""

    rank: int
    pending: Sequence[PendingReceive | PendingSend]

    def is_complete(self) -> bool:
        """Return whether the wait returns at once."""
        return all(one.is_complete for one in self.pending)

    def unfinished(self) -> Iterator[Receive | Message]:
        """Yield the receives and the messages of the operations that are not complete."""
        for one in self.pending:
            if not one.is_complete:
                yield one.receive if isinstance(one, PendingReceive) else one.message

    def needs(self, alternative: Alternative | None) -> Matches:
        """Return the receives and the synchronous sends that have to be matched."""
        return Matches(
            self.rank,
            tuple(one.receive.number for one in self.pending if isinstance(one, PendingReceive)),
            tuple(
                one.message.number for one in self.pending if isinstance(one, PendingSend) and one.message.synchronous
            ),
        )

    def __str__(self) -> str:
        return "a request" if len(self.pending) == 1 else f"{len(self.pending)} requests"


class Selection:
    """What a rank tests or waits for: one of several sets of operations.

    `sets` holds positions in `pending`. If `is_test` is true, the rank does not wait.
    """

    def __init__(
        self,
        rank: int,
        pending: Sequence[PendingReceive | PendingSend],
        sets: Sequence[tuple[int, ...]],
        *,
        number: int,
        is_test: bool,
    ) -> None:
        self.rank = rank
        self.number = number  # position among the selections of the rank
        self._parts = {
            _selected(numbers): Completion(rank, [pending[number] for number in numbers]) for numbers in sets
        }
        self.is_test = is_test
        self._description = Completion(rank, pending)

    def possible(self) -> Sequence[Alternative]:
        """Return the sets whose operations are complete."""
        return [alternative for alternative, completion in self._parts.items() if completion.is_complete()]

    def options(self, *, may_be_refused: bool) -> Sequence[Alternative]:
        """Return everything that may happen. A test may be refused; a wait never is."""
        return [*self._parts, NOT_YET] if self.is_test and may_be_refused else list(self._parts)

    def parts(self) -> Iterable[tuple[Alternative, Completion]]:
        """Return each set as an alternative, with its operations."""
        return self._parts.items()

    def unfinished(self) -> Iterator[Receive | Message]:
        """Yield the receives and the messages of the operations that are not complete."""
        return self._description.unfinished()

    def needs(self, alternative: Alternative) -> Matches | None:
        """Return what an alternative needs; None if it is a refusal."""
        return None if alternative is NOT_YET else self._parts[alternative].needs(None)

    def __str__(self) -> str:
        return str(self._description)


NOT_YET = Alternative("not yet")


@cache
def _selected(numbers: tuple[int, ...]) -> Alternative:
    """Return the alternative that the operations at these positions are complete."""
    return Alternative("complete " + "+".join(map(str, numbers)), numbers)


def _selection(
    me: Carrier, pending: Sequence[PendingReceive | PendingSend], sets: Sequence[tuple[int, ...]], *, is_test: bool
) -> Selection:
    rank = me.own
    rank.selections += 1
    return Selection(rank.number, pending, sets, number=rank.selections - 1, is_test=is_test)


def wait_for_some(pending: Sequence[PendingReceive | PendingSend], sets: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Wait until all operations of one set are complete; return that set of positions."""
    me = running()
    selection = _selection(me, pending, sets, is_test=False)
    taken = me.engine.operate_as_chosen(me, WAIT_FOR, selection, selection.possible)
    world_of(me).resume(me.own.number)
    world_of(me).exchange.record(me.own.number, WAIT_FOR, selection, taken)
    if me.engine.observing:
        me.engine.happened(me, WAIT_FOR, selection)
    numbers: tuple[int, ...] = taken.value
    return numbers


def test_for_some(
    pending: Sequence[PendingReceive | PendingSend], sets: Sequence[tuple[int, ...]]
) -> tuple[int, ...] | None:
    """Return a set of positions whose operations are complete; None if the test is refused."""
    me = running()
    selection = _selection(me, pending, sets, is_test=True)
    refusable = may_be_refused(me)
    taken = choose_or_refuse(me, TEST, selection, selection.possible, NOT_YET)
    world_of(me).exchange.record(me.own.number, TEST, selection, taken, refusable=refusable)
    if me.engine.observing:
        me.engine.happened(me, TEST, selection, taken is not NOT_YET)
    return None if taken is NOT_YET else taken.value


def wait_for(pending: Sequence[PendingReceive | PendingSend]) -> None:
    """Wait until all these operations of the running rank are complete."""
    me = running()
    completion = Completion(me.own.number, pending)
    me.engine.operate(me, WAIT_FOR, completion, completion.is_complete)
    world_of(me).resume(me.own.number)
    world_of(me).exchange.record(me.own.number, WAIT_FOR, completion)
    if me.engine.observing:
        me.engine.happened(me, WAIT_FOR, completion)


@dataclass(frozen=True, slots=True)
class CallStep:
    """A rank's entry into a collective call, or its completion, which needs the entries of other ranks."""

    call: CollectiveCall
    ranks: tuple[int, ...]

    @property
    def detail(self) -> Entered:
        """The step as the calculus sees it."""
        return Entered(self.call.context, self.call.number, self.ranks)

    def __str__(self) -> str:
        return str(self.call)


def enter(context: int, members: tuple[int, ...], entry: Entry) -> CollectiveCall:
    """Enter the next collective call of a communicator."""
    me = running()
    world, rank = world_of(me), me.own.number
    call = world.exchange.collective_call(rank, context, members)
    if MESSAGE in me.engine.points.visible:
        me.engine.operate(me, JOIN_IN, CallStep(call, (rank,)))
        world.resume(rank)
    check_entry(call, rank, entry)
    call.entries[rank] = entry
    world.exchange.record(rank, JOIN_IN, CallStep(call, (rank,)))
    if me.engine.observing:
        me.engine.happened(me, JOIN_IN, call)
    return call


def complete(call: CollectiveCall, needs: tuple[int, ...]) -> None:
    """Wait until the ranks in `needs` have entered a collective call."""
    me: Carrier = running()
    step = CallStep(call, needs)
    me.engine.operate(me, COMPLETE, step, lambda: call.entered(needs))
    world_of(me).resume(me.own.number)
    world_of(me).exchange.record(me.own.number, COMPLETE, step)
    if me.engine.observing:
        me.engine.happened(me, COMPLETE, call)
