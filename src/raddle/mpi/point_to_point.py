"""Point-to-point operations of the running rank: sends, receives and probes.

A send never blocks by itself, and commutes with every operation of other ranks. It is a scheduling point only for a
search over partial orders, which has to know when it happened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.participant import Alternative
from raddle.errors import UsageError
from raddle.mpi.call_place import called_at
from raddle.mpi.exchange import RankState
from raddle.mpi.inbox import NOTHING
from raddle.mpi.message import Message, Receive
from raddle.mpi.operations import MATCH, MESSAGE, POLL, POST, PROBE, RECV, SEND, SENT
from raddle.mpi.world import MpiWorld
from raddle.operation import Kind
from raddle.outcome import Outcome, OutcomeKind

POLLING_SECONDS = 1e-3  # virtual time between the first two polls of a rank that waits for the others
MAX_POLLING_SECONDS = 1.0
MAX_VAIN_POLLS = 1_000  # polls in a row, while no other rank can continue, after which a rank is said to poll forever


def running() -> Carrier:
    """Return the rank that calls this."""
    me = getcurrent()
    if not isinstance(me, Carrier):
        raise UsageError("not-a-rank", "this MPI call was not made by a rank that raddle runs")
    return me


def world_of(me: Carrier) -> MpiWorld:
    """Return the world that a rank belongs to."""
    world = me.engine.world
    assert isinstance(world, MpiWorld)
    return world


def resume(me: Carrier) -> None:
    """Record that a rank continues."""
    world_of(me).resume(_rank(me).number)


def send(destination: int, context: int, tag: int, payload: Any, *, synchronous: bool) -> Message:
    """Send a message, without waiting for its receive."""
    me = running()
    world, rank = world_of(me), _rank(me)
    exchange = world.exchange
    message = exchange.new_message(rank.number, destination, context, tag, payload, synchronous=synchronous)
    if MESSAGE in me.engine.points.visible:
        me.engine.operate(me, SEND, message)
        world.resume(rank.number)
    message.called = called_at()
    exchange.messages.append(message)
    exchange.inbox(destination, context).add(message)
    exchange.record(message.source, SEND, message)
    if me.engine.observing:
        me.engine.happened(me, SEND, message, payload)
    return message


def complete_send(message: Message) -> None:
    """Wait until a synchronous send is complete. Other sends complete at once."""
    if not message.synchronous:
        return
    me = running()
    me.engine.operate(me, SENT, message, lambda: message.receive is not None)
    world_of(me).resume(message.source)
    world_of(me).exchange.record(message.source, SENT, message)
    if me.engine.observing:
        me.engine.happened(me, SENT, message)


def receive(source: int, context: int, tag: int) -> Message:
    """Wait for a message, and take it."""
    me = running()
    rank = _rank(me)
    exchange = world_of(me).exchange
    return _take(me, RECV, exchange.new_receive(rank.number, context, source, tag))


def probe(source: int, context: int, tag: int, *, takes: bool = False) -> Message:
    """Wait for a message, and leave it in the inbox unless `takes` is true."""
    me = running()
    rank = _rank(me)
    exchange = world_of(me).exchange
    return _take(me, PROBE, exchange.new_receive(rank.number, context, source, tag, takes=takes))


def poll(source: int, context: int, tag: int, *, takes: bool = False) -> Message | None:
    """Look for a message without waiting; leave it in the inbox unless `takes` is true.

    A poll may find nothing even if a message has been sent, because messages take time to arrive.
    """
    me = running()
    rank = _rank(me)
    world = world_of(me)
    wanted = world.exchange.new_receive(rank.number, context, source, tag, takes=takes)
    inbox = world.exchange.inbox(rank.number, context)
    refusable = may_be_refused(me)
    taken = choose_or_refuse(me, POLL, wanted, inbox.watch(wanted), NOTHING)
    world.exchange.record(rank.number, POLL, wanted, taken, refusable=refusable)
    if taken is NOTHING:
        return None
    message = inbox.take(wanted, taken.value)
    if me.engine.observing:
        me.engine.happened(me, POLL, message, message.payload)
    return message


def may_be_refused(me: Carrier) -> bool:
    """Return whether the rank's next poll may find nothing although other ranks can continue."""
    return _rank(me).refusals < world_of(me).options.polls


def choose_or_refuse(
    me: Carrier, kind: Kind, target: object, successes: Callable[[], Sequence[Alternative]], refusal: Alternative
) -> Alternative:
    """Perform an operation that does not wait: it succeeds in one of several ways, or is refused.

    The operation may be refused even if it could succeed. A rank that polls in a loop would then have infinitely many
    executions, so the options limit how often it is refused in a row. Beyond the limit, it is refused only if no other
    rank can continue.
    """
    world, rank, engine = world_of(me), _rank(me), me.engine
    limited = not may_be_refused(me)

    def alternatives() -> Sequence[Alternative]:
        ways = successes()
        return ways if limited and not me.timed_out else [*ways, refusal]

    if limited:
        world.limited_polls = True
        me.timed_out = False
        vain = rank.refusals - world.options.polls
        if vain >= MAX_VAIN_POLLS:
            engine.finish(_endless(me), me)
        pause = min(MAX_POLLING_SECONDS, POLLING_SECONDS * 2 ** min(vain, 20))
        engine.clock.set_timer(me, pause, lambda: bool(successes()))
    try:
        taken = engine.operate_as_chosen(me, kind, target, alternatives)
    finally:
        me.timed_out, me.timer = False, None
    world.resume(rank.number)
    rank.refusals = rank.refusals + 1 if taken is refusal else 0
    return taken


def _endless(me: Carrier) -> Outcome:
    """Return the outcome of an execution in which a rank polls forever."""
    message = f"{me.label} polls forever: it found nothing {MAX_VAIN_POLLS:,} times while no other rank could continue"
    return Outcome(OutcomeKind.STEP_LIMIT, message, me.label, (OutcomeKind.STEP_LIMIT,))


def _take(me: Carrier, kind: Any, wanted: Receive) -> Message:
    """Wait until a message is there for a receive or a probe of the running participant, and assign it."""
    world = world_of(me)
    inbox = world.exchange.inbox(wanted.rank, wanted.context)
    alternatives = inbox.watch(wanted)
    if wanted.is_wildcard:
        source = me.engine.operate_as_chosen(me, kind, wanted, alternatives).value
    else:
        source = wanted.source
        me.engine.operate(me, kind, wanted, lambda: bool(alternatives()))
    if kind != MATCH:
        world.resume(wanted.rank)
    message = inbox.take(wanted, source)
    world.exchange.record(wanted.rank, kind, wanted)
    if me.engine.observing:
        me.engine.happened(me, kind, message, message.payload)
    return message


def post(source: int, context: int, tag: int) -> Receive:
    """Post a receive that does not block; a participant of its own takes the message.

    If a probe has found a message for the receive, that message has arrived. The receive is then matched at once.
    """
    me = running()
    rank = _rank(me)
    exchange = world_of(me).exchange
    posted = exchange.new_receive(rank.number, context, source, tag)
    inbox = exchange.inbox(rank.number, context)
    if inbox.must_match(posted):
        _take(me, RECV, posted)
        return posted
    inbox.post(posted)
    exchange.record(rank.number, POST, posted)
    rank.actors += 1
    label = f"R{rank.number}.{rank.actors}"
    carrier: Carrier

    def match() -> None:
        _take(carrier, MATCH, posted)

    carrier = me.engine.spawn(me, match, own=rank, label=label)
    if me.engine.observing:
        me.engine.happened(me, POST, posted)
    return posted


def _rank(me: Carrier) -> RankState:
    rank = me.own
    assert isinstance(rank, RankState)
    return rank
