"""A second world for the engine: ranks that send and receive messages, without threads or instrumentation.

A program is a function that takes a `Rank`. Messages from one rank to another arrive in order. A receive without a
source takes a message from any rank that has sent one, and the scheduler chooses the rank.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.engine import Engine
from raddle.engine.participant import Alternative
from raddle.engine.waits import join
from raddle.engine.world import World
from raddle.entities import AbstractObject, Entities
from raddle.execute.domain import Domain
from raddle.execute.installation import Installation
from raddle.observers.recorder import Recorder
from raddle.operation import JOIN, START, Kind, Role
from raddle.outcome import Outcome, OutcomeKind
from raddle.schedulers.base import Thread
from raddle.schedulers.calculus import Calculus, Reader, Touched
from raddle.schedulers.operation_log import Log
from raddle.step import Step
from supplies import ENDED, MESSAGE, Channels

SEND = Kind("deliver", "sends to", role=Role.GIVE)
RECEIVE = Kind("receive", "receives from", role=Role.TAKE, partner="deliver", waiting="waits for a message of")


class Rank:
    """A rank as its program sees it, with methods to send and receive."""

    def __init__(self, number: int, channels: dict[tuple[int, int], list[Any]]) -> None:
        self.number = number
        self._channels = channels

    def send(self, to: int, message: object) -> None:
        me: Any = getcurrent()
        me.engine.operate(me, SEND, to)
        self._channels[self.number, to].append(message)
        if me.engine.observing:
            me.engine.happened(me, SEND, self._channels[self.number, to], message)

    def receive(self, source: int | None = None) -> Any:
        me: Any = getcurrent()
        if source is None:
            source = me.engine.operate_as_chosen(me, RECEIVE, None, self._receivable).value
        else:
            me.engine.operate(me, RECEIVE, source, lambda: bool(self._channels[source, self.number]))
        message = self._channels[source, self.number].pop(0)
        if me.engine.observing:
            me.engine.happened(me, RECEIVE, self._channels[source, self.number], message)
        return message

    def _receivable(self) -> list[Alternative]:
        """Return an alternative for each rank with a pending message, ordered by rank."""
        senders = sorted(source for (source, to), messages in self._channels.items() if to == self.number and messages)
        return [Alternative(f"takes R{source}'s message", source) for source in senders]


def start(*programs: Callable[[Rank], object]) -> None:
    """Run a rank for each program. The participant that calls this function becomes rank 0."""
    me: Any = getcurrent()
    channels: dict[tuple[int, int], list[Any]] = defaultdict(list)
    ranks = [Rank(number, channels) for number in range(len(programs))]
    me.own = 0
    started = [
        me.engine.spawn(me, partial(program, rank), own=rank.number)
        for program, rank in zip(programs[1:], ranks[1:], strict=True)
    ]
    programs[0](ranks[0])
    for carrier in started:
        join(me, carrier, None)


class RankWorld(World):
    """The world of ranks. The first rank starts the others."""

    letter = "R"

    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        kind = OutcomeKind.ASSERTION if isinstance(error, AssertionError) else OutcomeKind.EXCEPTION
        return Outcome(kind, repr(error), me.label, (kind, repr(error)), error=error)

    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome:
        receivers = [carrier.label for carrier in waiting if carrier.kind == RECEIVE]
        message = f"{' and '.join(receivers)} wait for messages"
        return Outcome(OutcomeKind.DEADLOCK, message, "", (OutcomeKind.DEADLOCK, message))


class RankCalculus(Calculus):
    """Rules for ranks: sends commute, and a message enables the receive that takes it."""

    conflicts = ()

    def reader(self, visible: Container[str], *, everything: bool) -> RankReader:
        return RankReader()

    def supplies(self, log: Log) -> Channels:
        return Channels(log)


class RankReader(Reader):
    """Describes sends and receives by their channel."""

    def touched(self, participant: Any, alternative: Any) -> Touched:
        me, other = participant.own, participant.target
        if participant.kind == SEND:
            return [], 0, (me, other), None, None
        if participant.kind == RECEIVE:
            return [], MESSAGE, (alternative.value if alternative else other, me), None, None
        if participant.kind == JOIN:
            return [], ENDED, other.label, None, None
        return [], 0, None, None, None

    def options(self, participant: Thread) -> Sequence[Alternative]:
        """Return an alternative for each other rank, because each may still send a message."""
        return [Alternative(f"takes R{source}'s message", source) for source in range(8) if source != participant.own]  # type: ignore[attr-defined]


class MessageRecorder(Recorder):
    """Records sends and receives. The target of a step is the message's number in the order of sends."""

    def begin(self, engine: Engine) -> None:
        self.stream.clear()
        self.entities = Entities(letter=RankWorld.letter)
        self.entities.add_actor("rank")
        # Maps the id of a channel to the numbers of its messages.
        self._sent: dict[int, deque[int]] = defaultdict(deque)

    def started(self, me: Carrier, other: Carrier) -> None:
        self.entities.add_actor("rank")
        self.stream.append((me.index, START, other.index, 0))

    def happened(self, me: Carrier, kind: Kind, target: Any, value: object = None) -> None:
        if kind == SEND:
            number = self.entities.add_resource(AbstractObject("message", ""))
            self._sent[id(target)].append(number)
            self.stream.append((me.index, SEND, number, 0))
        elif kind == RECEIVE:
            self.stream.append((me.index, RECEIVE, self._sent[id(target)].popleft(), 0))

    def observed(self) -> tuple[tuple[Step, ...], Entities]:
        return tuple(self.stream), self.entities


class RankInstallation(Installation):
    """An installation that records messages for the criteria."""

    def step_recorder(self, *, renewed: bool, all_accesses: bool = False) -> MessageRecorder:
        return MessageRecorder()


@dataclass(frozen=True)
class Ranks(Domain):
    """The domain of scenarios with ranks."""

    def install(self) -> RankInstallation:
        return RankInstallation(RankWorld(), RankCalculus())
