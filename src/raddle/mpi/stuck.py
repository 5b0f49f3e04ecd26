"""Outcomes of executions in which every rank is blocked.

Each blocked rank waits for other ranks: a receive for one of its possible sources, a synchronous send for its
destination, a collective operation for the ranks that have not entered it. The first of these explanations that applies
determines the outcome:

1. Ranks wait in a collective operation for a rank that has ended, or that called it on another communicator.
2. A rank waits for a message from ranks that have ended.
3. Ranks wait for each other in a cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from raddle.engine.carrier import Carrier
from raddle.mpi.call_place import at
from raddle.mpi.collective_call import CollectiveCall
from raddle.mpi.exchange import Exchange
from raddle.mpi.message import Message, Receive
from raddle.mpi.operations import COMPLETE, PROBE, RECV, SENT, WAIT_FOR
from raddle.outcome import Outcome, OutcomeKind
from raddle.wait import Wait

if TYPE_CHECKING:
    from raddle.engine.engine import Engine

MAX_NEAR_MISSES = 5  # number of unreceived messages to list


def explain_stuck_ranks(blocked: Sequence[Carrier], engine: Engine, exchange: Exchange) -> Outcome:
    """Return the outcome of an execution in which these ranks are blocked forever."""
    by_rank = {carrier.own.number: carrier for carrier in blocked}
    awaited = {rank: tuple(_awaited(carrier, exchange)) for rank, carrier in by_rank.items()}
    kind, rank, message = _explain(by_rank, awaited, exchange)
    waits = tuple(
        Wait(
            thread=carrier.label,
            kind=carrier.kind,
            resource=_described(carrier),
            waits_for=f"R{awaited[rank][0]}" if len(awaited[rank]) == 1 else "",
            place=engine.place(carrier),
        )
        for rank, carrier in by_rank.items()
    )
    signature = sorted(f"{wait.kind} {wait.place or wait.thread}" for wait in waits)
    details = (*map(str, waits), *_near_misses(by_rank, exchange))
    return Outcome(kind, message, f"R{rank}", (kind, *signature), details, waits=waits)


def _explain(
    by_rank: Mapping[int, Carrier], awaited: Mapping[int, tuple[int, ...]], exchange: Exchange
) -> tuple[OutcomeKind, int, str]:
    """Return the kind of the failure, the rank to blame, and a sentence."""
    for rank, carrier in by_rank.items():
        if carrier.kind == COMPLETE:
            missing = [other for other in awaited[rank] if other not in by_rank]
            if missing:
                return _incomplete_call(rank, carrier.target.call, missing, exchange)
    for rank, carrier in by_rank.items():
        if awaited[rank] and not any(other in by_rank for other in awaited[rank]) and carrier.kind != COMPLETE:
            kind = OutcomeKind.NO_SENDER if carrier.kind in (RECV, PROBE, WAIT_FOR) else OutcomeKind.DEADLOCK
            return kind, rank, f"R{rank} waits for {_described(carrier)}, but {_ended(awaited[rank])}"
    cycle = _cycle(by_rank, awaited)
    kinds = {by_rank[rank].kind for rank in cycle}
    kind = OutcomeKind.P2P_COLLECTIVE if COMPLETE in kinds and len(kinds) > 1 else OutcomeKind.DEADLOCK
    path = ", which waits for ".join(f"R{rank}" for rank in [*cycle[1:], cycle[0]])
    return kind, cycle[0], f"R{cycle[0]} waits for {path if len(cycle) > 1 else 'itself'}"


def explain_incomplete_call(exchange: Exchange) -> Outcome | None:
    """Return the outcome of an execution that ended although some rank has not entered a collective call.

    The ranks that entered the call did not need that rank. With another MPI library, they may wait for it forever.
    """
    for call in exchange.calls.values():
        missing = [rank for rank in call.members if rank not in call.entries]
        if missing and call.entries:
            rank, entry = min(call.entries.items())
            message = f"R{rank} called {entry.name}, but {_ended(missing)} without calling it"
            return Outcome(OutcomeKind.ABANDONED, message, f"R{rank}", (OutcomeKind.ABANDONED, entry.name))
    return None


def _incomplete_call(
    rank: int, call: CollectiveCall, missing: Sequence[int], exchange: Exchange
) -> tuple[OutcomeKind, int, str]:
    name = call.entries[rank].name
    elsewhere = [
        other
        for other in exchange.calls.values()
        if other.context != call.context
        and any(other.entries.get(one) and other.entries[one].name == name for one in missing)
    ]
    if elsewhere:
        ranks = _listed(one for one in missing if any(one in other.entries for other in elsewhere))
        return (
            OutcomeKind.COMMUNICATOR_MISMATCH,
            rank,
            f"R{rank} waits in {name} for {ranks}, which called {name} on another communicator",
        )
    return OutcomeKind.ABANDONED, rank, f"R{rank} waits in {name} for {_listed(missing)}, but {_ended(missing)}"


def _ended(ranks: Collection[int]) -> str:
    return f"{_listed(ranks)} {'has' if len(ranks) == 1 else 'have'} ended"


def _listed(ranks: Collection[int] | Iterator[int]) -> str:
    """Return the labels of ranks, as in "R1, R2 and R3"."""
    *others, last = [f"R{rank}" for rank in ranks]
    return f"{', '.join(others)} and {last}" if others else last


def _cycle(by_rank: Mapping[int, Carrier], awaited: Mapping[int, tuple[int, ...]]) -> list[int]:
    """Return a shortest cycle of blocked ranks in which each waits for the next."""
    best: list[int] = []
    for start in by_rank:
        paths = [[start]]
        seen = {start}
        found: list[int] = []
        while paths and not found:
            path = paths.pop(0)
            for other in awaited[path[-1]]:
                if other == start:
                    found = path
                    break
                if other in by_rank and other not in seen:
                    seen.add(other)
                    paths.append([*path, other])
        if found and (not best or len(found) < len(best)):
            best = found
    return best or [next(iter(by_rank))]


def _awaited(carrier: Carrier, exchange: Exchange) -> Iterator[int]:
    """Yield the ranks that could act so that a blocked rank continues."""
    target: Any = carrier.target
    if carrier.kind == SENT:
        yield target.destination
    elif carrier.kind == COMPLETE:
        yield from (rank for rank in target.ranks if rank not in target.call.entries)
    elif carrier.kind == WAIT_FOR:
        for pending in target.unfinished():
            yield from _awaited_by(pending, exchange)
    else:
        yield from _awaited_by(target, exchange)


def _awaited_by(waiting: Message | Receive, exchange: Exchange) -> Iterator[int]:
    if isinstance(waiting, Message):
        yield waiting.destination
    elif waiting.is_wildcard:
        yield from (rank for rank in range(exchange.size) if rank != waiting.rank)
    else:
        yield waiting.source


def _described(carrier: Carrier) -> str:
    target: Any = carrier.target
    if isinstance(target, Message):
        return f"its message to R{target.destination} (tag {target.tag})"
    if carrier.kind == COMPLETE:
        return str(target.call.entries[carrier.own.number].name)
    return str(target)


def _near_misses(by_rank: Mapping[int, Carrier], exchange: Exchange) -> Iterator[str]:
    """Yield a line for each unreceived message that a blocked receive almost accepts."""
    lines = []
    for rank, carrier in by_rank.items():
        if not isinstance(carrier.target, Receive):
            continue
        for message in exchange.messages:
            if message.receive is None:
                why = _why_not(carrier.target, message, rank)
                if why:
                    lines.append(f"R{message.source} sent a message{at(message.called)} that is not received: {why}")
    yield from lines[:MAX_NEAR_MISSES]


def _why_not(receive: Receive, message: Message, rank: int) -> str:
    """Return why a receive does not accept a message, if they differ in a single respect; otherwise ""."""
    differences = []
    if message.destination != rank:
        differences.append(f"it was sent to R{message.destination}, and R{rank} waits for it")
    if not receive.is_wildcard and message.source != receive.source:
        differences.append(f"R{rank} waits for a message from R{receive.source}")
    if message.context != receive.context:
        differences.append(f"R{rank} receives on another communicator")
    if not receive.accepts_tag(message.tag):
        differences.append(f"its tag is {message.tag}, and R{rank} waits for tag {receive.tag}")
    return differences[0] if len(differences) == 1 else ""
