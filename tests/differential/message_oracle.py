"""A brute-force interpreter of small message-passing programs, which shares no code with raddle.

It models an MPI library: the network delivers the messages of each pair of ranks in order, an arriving message is taken
by the first posted receive that accepts it, and a receive or a probe first searches the messages that have arrived
already. MPI does not order messages from different ranks, so a receive may take the first message of any of them. MPI
orders two messages from the same rank only for receives and probes that accept both. So a message may be delivered to a
waiting receive or probe before earlier messages, if the receive or probe does not accept these. The interpreter visits
every reachable state and returns the distinct results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

ANY = -1  # accepts messages of every source, or with every tag


class Send(NamedTuple):
    to: int
    tag: int = 0
    synchronous: bool = False


class Recv(NamedTuple):
    source: int = ANY
    tag: int = ANY


class Irecv(NamedTuple):
    source: int = ANY
    tag: int = ANY


class Isend(NamedTuple):
    to: int
    tag: int = 0
    synchronous: bool = False


class Wait(NamedTuple):
    """Waits for the `request`-th nonblocking operation of the rank."""

    request: int


class Probe(NamedTuple):
    source: int = ANY
    tag: int = ANY


class Collective(NamedTuple):
    """A collective call that completes once the ranks in `needs` have entered it."""

    needs: tuple[tuple[int, ...], ...]  # by rank


Instruction = Send | Recv | Irecv | Isend | Wait | Probe | Collective
Program = Sequence[Sequence[Instruction]]  # by rank


@dataclass(frozen=True, order=True, slots=True)
class Message:
    source: int
    number: int  # position among the messages of the source
    to: int
    tag: int


@dataclass(frozen=True, order=True, slots=True)
class Posted:
    rank: int
    number: int  # position among the receives and probes of the rank
    source: int
    tag: int


class State(NamedTuple):
    at: tuple[int, ...]  # index of the next instruction, by rank
    blocked: tuple[bool, ...]  # whether that instruction has begun, by rank
    sent: tuple[int, ...]  # number of messages, by rank
    received: tuple[int, ...]  # number of receives and probes, by rank
    requests: tuple[tuple[Message | Posted | None, ...], ...]  # nonblocking operations, by rank; None if complete
    entered: tuple[int, ...]  # number of collective calls, by rank
    network: frozenset[Message]
    arrived: frozenset[Message]  # messages that no receive has taken
    posted: tuple[Posted, ...]  # receives without a message, in the order in which they were posted
    matches: frozenset[tuple[Posted, Message]]
    found: frozenset[tuple[Posted, Message]]  # messages that probes have found


class Result(NamedTuple):
    """How an execution ended: the message of each receive and probe, and where each rank stopped."""

    matches: frozenset[tuple[tuple[int, int], tuple[int, int]]]
    at: tuple[int, ...]


def results(program: Program) -> set[Result]:
    """Return every result of a program."""
    ranks = len(program)
    zeros = (0,) * ranks
    first = State(
        zeros,
        (False,) * ranks,
        zeros,
        zeros,
        ((),) * ranks,
        zeros,
        frozenset(),
        frozenset(),
        (),
        frozenset(),
        frozenset(),
    )
    seen, stack, found = {first}, [first], set()
    while stack:
        state = stack.pop()
        following = set(_following(program, state))
        if not following:
            matches = frozenset(((p.rank, p.number), (m.source, m.number)) for p, m in state.matches | state.found)
            found.add(Result(matches, state.at))
        stack += following - seen
        seen |= following
    return found


def _following(program: Program, state: State) -> Iterator[State]:
    for message in state.network:
        if not any(
            (other.source, other.to) == (message.source, message.to) and other.number < message.number
            for other in state.network
        ):
            yield _arrive(state._replace(network=state.network - {message}), message)
        else:
            yield from _arrive_early(state, message)
    for rank, instructions in enumerate(program):
        if state.at[rank] < len(instructions):
            yield from _step(instructions[state.at[rank]], rank, state)


def _accepts(posted: Posted, message: Message) -> bool:
    return posted.rank == message.to and posted.source in (ANY, message.source) and posted.tag in (ANY, message.tag)


def _arrive(state: State, message: Message) -> State:
    for posted in state.posted:
        if _accepts(posted, message):
            remaining = tuple(other for other in state.posted if other != posted)
            return state._replace(posted=remaining, matches=state.matches | {(posted, message)})
    return state._replace(arrived=state.arrived | {message})


def _arrive_early(state: State, message: Message) -> Iterator[State]:
    """Yield the state in which a message is delivered to a receive that does not accept the messages before it."""
    takers = [posted for posted in state.posted if _accepts(posted, message)]
    if takers and _first(state, takers[0], message.source) == message:
        yield _arrive(state._replace(network=state.network - {message}), message)


def _first(state: State, posted: Posted, source: int) -> Message:
    """Return the first message from a source that a receive accepts and no receive has taken."""
    return min(one for one in state.arrived | state.network if one.source == source and _accepts(posted, one))


def _candidates(state: State, posted: Posted) -> Iterator[Message]:
    """Yield, for each source of a message that has arrived and that a new receive or probe accepts, the first such."""
    for source in {message.source for message in state.arrived if _accepts(posted, message)}:
        yield _first(state, posted, source)


def _found_early(state: State, probe: Posted) -> Iterator[Message]:
    """Yield the messages that arrive just before a probe, and before messages that the probe does not accept."""
    for message in state.network:
        is_taken = any(_accepts(posted, message) for posted in state.posted)
        if _accepts(probe, message) and not is_taken and _first(state, probe, message.source) == message:
            yield message


def _post(state: State, posted: Posted) -> Iterator[State]:
    nothing_arrived = True
    for message in _candidates(state, posted):
        nothing_arrived = False
        yield state._replace(
            arrived=state.arrived - {message},
            network=state.network - {message},
            matches=state.matches | {(posted, message)},
        )
    if nothing_arrived:
        yield state._replace(posted=(*state.posted, posted))


def _is_complete(request: Message | Posted | None, state: State) -> bool:
    return request is None or any(request in match for match in state.matches)


def _put(values: tuple[Any, ...], rank: int, value: object) -> tuple[Any, ...]:
    return (*values[:rank], value, *values[rank + 1 :])


def _advance(state: State, rank: int) -> State:
    return state._replace(at=_put(state.at, rank, state.at[rank] + 1), blocked=_put(state.blocked, rank, False))


def _begin(state: State, rank: int) -> State:
    return state._replace(blocked=_put(state.blocked, rank, True))


def _step(one: Instruction, rank: int, state: State) -> Iterator[State]:
    """Yield the states after the next step of a rank; none if the rank is blocked."""
    if isinstance(one, (Send, Isend)):
        yield from _send(one, rank, state)
    elif isinstance(one, (Recv, Irecv)):
        yield from _receive(one, rank, state)
    elif isinstance(one, Wait):
        if _is_complete(state.requests[rank][one.request], state):
            yield _advance(state, rank)
    elif isinstance(one, Probe):
        probe = Posted(rank, state.received[rank], one.source, one.tag)
        for message in {*_candidates(state, probe), *_found_early(state, probe)}:
            after = state._replace(
                received=_put(state.received, rank, probe.number + 1),
                network=state.network - {message},
                arrived=state.arrived | {message},
                found=state.found | {(probe, message)},
            )
            yield _advance(after, rank)
    elif not state.blocked[rank]:
        yield _begin(state._replace(entered=_put(state.entered, rank, state.entered[rank] + 1)), rank)
    elif all(state.entered[other] >= state.entered[rank] for other in one.needs[rank]):
        yield _advance(state, rank)


def _send(one: Send | Isend, rank: int, state: State) -> Iterator[State]:
    if state.blocked[rank]:
        if _is_complete(Message(rank, state.sent[rank] - 1, one.to, one.tag), state):
            yield _advance(state, rank)
        return
    message = Message(rank, state.sent[rank], one.to, one.tag)
    state = state._replace(sent=_put(state.sent, rank, message.number + 1), network=state.network | {message})
    if isinstance(one, Isend):
        yield _advance(_with_request(state, rank, message if one.synchronous else None), rank)
    else:
        yield _begin(state, rank) if one.synchronous else _advance(state, rank)


def _receive(one: Recv | Irecv, rank: int, state: State) -> Iterator[State]:
    if state.blocked[rank]:
        if _is_complete(Posted(rank, state.received[rank] - 1, one.source, one.tag), state):
            yield _advance(state, rank)
        return
    posted = Posted(rank, state.received[rank], one.source, one.tag)
    for after in _post(state._replace(received=_put(state.received, rank, posted.number + 1)), posted):
        yield _advance(_with_request(after, rank, posted), rank) if isinstance(one, Irecv) else _begin(after, rank)


def _with_request(state: State, rank: int, request: Message | Posted | None) -> State:
    return state._replace(requests=_put(state.requests, rank, (*state.requests[rank], request)))
