"""Choices: the points at which an execution of a message-passing program could have taken another course."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from raddle.mpi.completion import NOT_YET, Selection
from raddle.mpi.inbox import NOTHING
from raddle.mpi.message import Receive
from raddle.mpi.operations import MATCH, POLL, PROBE, RECV, TEST, WAIT_FOR
from raddle.operation import Kind

# What happened at a choice: the source and the number of the message that a receive took, or the positions of the
# requests that were complete.
Outcome = tuple[int, ...]
REFUSED: Outcome = ()  # a poll found nothing, or a test found no complete request


class Numbering(IntEnum):
    """Which operations of a rank the number of a choice counts."""

    RECEIVES = 0  # receives, probes and polls
    SELECTIONS = 1  # tests, and waits for any of several requests


class Choice(NamedTuple):
    """An operation with several possible outcomes. It is the same in all executions with the same past."""

    rank: int
    numbering: Numbering
    number: int


class Decided(NamedTuple):
    """A choice and its outcome."""

    choice: Choice
    outcome: Outcome


Prescription = Mapping[int, Mapping[int, tuple[int, int]]]  # by rank and number of a receive: source, message number


def choice_of(kind: Kind, target: Any) -> Choice | None:
    """Return the choice that an operation makes; None if only one outcome is possible."""
    if kind in (RECV, MATCH, PROBE, POLL):
        receive: Receive = target
        if receive.is_wildcard or kind == POLL:
            return Choice(receive.rank, Numbering.RECEIVES, receive.number)
    elif kind in (WAIT_FOR, TEST) and isinstance(target, Selection):
        return Choice(target.rank, Numbering.SELECTIONS, target.number)
    return None


def outcome_of(target: Any, taken: Any) -> Outcome:
    """Return the outcome of an operation that was performed; `taken` is the alternative that it took, if any."""
    if taken is NOTHING or taken is NOT_YET:
        return REFUSED
    if isinstance(target, Receive):
        message = target.message
        assert message is not None
        return message.source, message.number
    positions: Outcome = taken.value
    return positions


def prescription(decided: Mapping[Choice, Outcome]) -> Prescription:
    """Return the part of a variant that a real MPI library can be made to follow: the messages of its receives.

    >>> prescription({Choice(0, Numbering.RECEIVES, 2): (3, 0), Choice(0, Numbering.SELECTIONS, 0): (1,)})
    {0: {2: (3, 0)}}
    """
    receives: dict[int, dict[int, tuple[int, int]]] = {}
    for choice, outcome in sorted(decided.items()):
        if choice.numbering is Numbering.RECEIVES and outcome != REFUSED:
            source, number = outcome
            receives.setdefault(choice.rank, {})[choice.number] = source, number
    return receives


def from_prescription(receives: Prescription) -> dict[Choice, Outcome]:
    """Return the choices that a prescription decides."""
    return {
        Choice(rank, Numbering.RECEIVES, number): message
        for rank, messages in receives.items()
        for number, message in messages.items()
    }
