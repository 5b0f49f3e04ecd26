"""Decides which sends and receives of different processes may match, and explains why the others cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from raddle.pcfg.endpoints import Endpoint, Naming
from raddle.pcfg.primitives import Pattern, Transfer


class Profile(StrEnum):
    """What is compared to eliminate pairs."""

    LITERAL = "literal"  # ranks that are literals in the source, as in ValiMPI
    TAGS = "tags"  # also tags with known values
    RANKS = "ranks"  # also ranks that can be computed from the rank and the number of ranks


class Side(StrEnum):
    """What eliminates a pair."""

    SEND = "send"  # the destination of the send
    RECEIVE = "receive"  # the source of the receive
    TAG = "tag"
    PATTERN = "pattern"  # the collective operation transfers no data between these ranks


@dataclass(frozen=True, slots=True)
class TransferAt:
    """A send or a receive of a process."""

    rank: int
    process: str  # the label of the process
    node: int
    line: int
    file: str
    transfer: Transfer

    @property
    def at(self) -> str:
        """The place of the transfer, such as "gcd.py:13"."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Elimination:
    """Why two transfers never match."""

    side: Side
    reason: str


Known = Callable[[TransferAt], Mapping[str, int]]  # the values that are known where a transfer happens


def why_eliminated(send: TransferAt, receive: TransferAt, profile: Profile, known: Known) -> Elimination | None:
    """Return why a send of one process cannot match a receive of another; None if it may."""
    if send.transfer.collective:
        return _between_ranks(send, receive, profile, known)
    destination = _rank(send.transfer.peer, send, profile, known)
    if destination is not None and destination != receive.rank:
        return Elimination(
            Side.SEND,
            f"the send at {send.at} names {_named(send.transfer.peer, destination)}, but the receive at {receive.at} "
            f"runs in {in_process(receive.process)}, which is rank {receive.rank}",
        )
    source = _rank(receive.transfer.peer, receive, profile, known)
    if source is not None and source != send.rank:
        return Elimination(
            Side.RECEIVE,
            f"the receive at {receive.at} names {_named(receive.transfer.peer, source)}, but the send at {send.at} "
            f"runs in {in_process(send.process)}, which is rank {send.rank}",
        )
    return _by_tag(send, receive, known) if profile is not Profile.LITERAL else None


def in_process(label: str) -> str:
    """Return the label of a process with its article.

    >>> in_process("master"), in_process("worker 2")
    ('the master', 'worker 2')
    """
    return label if label[-1:].isdigit() else f"the {label}"


def _rank(endpoint: Endpoint, at: TransferAt, profile: Profile, known: Known) -> int | None:
    """Return the rank that an endpoint names, as far as the profile considers it; -1 for PROC_NULL."""
    if endpoint.naming is Naming.NULL:
        return -1
    if endpoint.naming is Naming.LITERAL:
        return endpoint.value
    return endpoint.evaluated(known(at)) if profile is Profile.RANKS else None


def _named(endpoint: Endpoint, rank: int) -> str:
    if endpoint.naming is Naming.NULL:
        return "PROC_NULL"
    return f"rank {rank}" + (f" ({endpoint.text})" if endpoint.naming is Naming.COMPUTED else "")


def _by_tag(send: TransferAt, receive: TransferAt, known: Known) -> Elimination | None:
    sent = send.transfer.tag.evaluated(known(send))
    wanted = receive.transfer.tag.evaluated(known(receive))
    if sent is None or wanted is None or sent == wanted:
        return None
    return Elimination(
        Side.TAG,
        f"the send at {send.at} has tag {sent}, but the receive at {receive.at} accepts only tag {wanted}",
    )


def _between_ranks(send: TransferAt, receive: TransferAt, profile: Profile, known: Known) -> Elimination | None:
    operation, pattern = send.transfer.operation, send.transfer.pattern
    if pattern is Pattern.UPWARDS and send.rank > receive.rank:
        return Elimination(Side.PATTERN, f"{operation} transfers data only to higher ranks")
    if pattern not in (Pattern.FROM_ROOT, Pattern.TO_ROOT):
        return None
    end = send if pattern is Pattern.FROM_ROOT else receive
    verb = "sends" if end is send else "receives"
    for at in (send, receive):
        root = _rank(at.transfer.peer, at, profile, known)
        if root is not None and root != end.rank:
            return Elimination(
                Side.PATTERN,
                f"the {operation} at {at.at} has root {root}, so {in_process(end.process)}, which is rank {end.rank}, "
                f"{verb} nothing there",
            )
    return None
