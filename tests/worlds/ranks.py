"""A second world on the engine: ranks that send and receive messages. No threads, no instrumentation.

A program is a function of a `Rank`. Messages of one rank to another do not overtake each other; a receive without a
source takes from any rank that has sent something, and which one that is, the scheduler chooses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.engine import Engine
from raddle.engine.participant import Alternative
from raddle.engine.world import World
from raddle.operation import JOIN, Kind, Role
from raddle.outcome import Outcome, OutcomeKind
from raddle.schedulers.base import Thread
from raddle.schedulers.calculus import Calculus, Past, Reader, Supplies, Touched
from raddle.schedulers.dependence import Operation
from raddle.schedulers.operation_log import Log

SEND = Kind("send", "sends to", role=Role.GIVE)
RECEIVE = Kind("receive", "receives from", role=Role.TAKE, partner="send", waiting="waits for a message of")
MESSAGE, ENDED = 1, 2  # what an operation may need: a message in a channel, the end of a rank


class Rank:
    """What a program sees of its rank."""

    def __init__(self, number: int, channels: dict[tuple[int, int], list[Any]]) -> None:
        self.number = number
        self._channels = channels

    def send(self, to: int, message: object) -> None:
        me: Any = getcurrent()
        me.engine.operate(me, SEND, to)
        self._channels[self.number, to].append(message)
        if me.engine.observing:
            me.engine.happened(me, SEND, self._channels, message)

    def receive(self, source: int | None = None) -> Any:
        me: Any = getcurrent()
        if source is None:
            source = me.engine.operate_as_chosen(me, RECEIVE, None, self._possible).value
        else:
            me.engine.operate(me, RECEIVE, source, lambda: bool(self._channels[source, self.number]))
        message = self._channels[source, self.number].pop(0)
        if me.engine.observing:
            me.engine.happened(me, RECEIVE, self._channels, message)
        return message

    def _possible(self) -> list[Alternative]:
        """Return an alternative for each rank whose messages are there, in order."""
        there = sorted(source for (source, to), messages in self._channels.items() if to == self.number and messages)
        return [Alternative(f"from R{source}", source) for source in there]


def start(*programs: Callable[[Rank], object]) -> None:
    """Run a rank for each program; to be called by a scenario."""
    me: Any = getcurrent()
    channels: dict[tuple[int, int], list[Any]] = defaultdict(list)
    started = []
    for number, program in enumerate(programs):
        rank = Rank(number, channels)
        started.append(me.engine.spawn(me, lambda program=program, rank=rank: program(rank), own=number))
    for one in started:
        me.engine.join(me, one, None)


class RankWorld(World):
    """Ranks; the participant that starts them is none."""

    def explain_error(self, error: BaseException, me: Carrier) -> Outcome:
        kind = OutcomeKind.ASSERTION if isinstance(error, AssertionError) else OutcomeKind.EXCEPTION
        return Outcome(kind, repr(error), me.label, (kind, repr(error)), error=error)

    def explain_stuck(self, waiting: Sequence[Carrier], engine: Engine) -> Outcome:
        receivers = [carrier.label for carrier in waiting if carrier.kind == RECEIVE]
        message = f"{' and '.join(receivers)} wait for messages"
        return Outcome(OutcomeKind.DEADLOCK, message, "", (OutcomeKind.DEADLOCK, message))


class RankCalculus(Calculus):
    """Nothing conflicts: sends commute, and a receive is enabled by the message that it takes."""

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
        """Every rank may send something yet, in some order."""
        return [Alternative(f"from R{source}", source) for source in range(8) if source != participant.own]  # type: ignore[attr-defined]


class Channels(Supplies):
    """The k-th receive from a channel takes its k-th message."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def _done(self, operation: Operation, within: int, need: int) -> list[int]:
        return [
            number
            for number, one in enumerate(self._log.done)
            if within >> number & 1 and one.operation.detail == operation.detail and one.operation.need == need
        ]

    def possible(self, operation: Operation, within: int) -> bool:
        return operation.need != MESSAGE or len(self._done(operation, within, 0)) > len(
            self._done(operation, within, MESSAGE)
        )

    def enabler(self, operation: Operation, within: int) -> int:
        if operation.need != MESSAGE:
            return -1
        return self._done(operation, within, 0)[len(self._done(operation, within, MESSAGE))]

    def certain(self, label: str, operation: Operation, number: int, past: Past) -> int:
        return past.reached.get(operation.detail, 0) if operation.need == ENDED else 0

    def hopeless(self, label: str, operation: Operation, number: int, past: Past) -> bool:
        return operation.need == ENDED
