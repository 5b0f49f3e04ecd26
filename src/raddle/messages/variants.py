"""Race variants: prefixes of other executions, derived from one execution (Lei and Carver).

A receive races if it could have taken another message. Its variant keeps every event that does not happen after the
receive, and lets the receive take that other message. An execution that begins like the variant exists, because the
events that are kept can all be performed before the receive. The variants of one execution exclude each other: of two
receives that race, either both are kept by the variants of the other, or the later one's variants keep the earlier one
as it was. Lei and Carver also combine several changes in one variant, which is not necessary if the executions of
variants are analyzed in turn.

Polls, tests and waits for any of several requests are treated like receives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raddle.messages.choices import REFUSED, Choice, Decided, Outcome
from raddle.messages.trace import MessageTrace
from raddle.mpi.completion import Selection
from raddle.mpi.message import Message, Receive
from raddle.mpi.operations import POLL, TEST


@dataclass(frozen=True, slots=True)
class Variant:
    """The beginning of an execution: the outcomes of some choices, the last of which was changed."""

    kept: tuple[Decided, ...]
    changed: Decided

    @property
    def decided(self) -> tuple[Decided, ...]:
        """All choices of the variant, with their outcomes."""
        return (*self.kept, self.changed)

    def outcomes(self) -> dict[Choice, Outcome]:
        """Return the outcome of each choice."""
        return dict(self.decided)

    def excludes(self, other: Variant) -> bool:
        """Return whether no execution contains both variants, because they decide a choice differently.

        >>> from raddle.messages.choices import Numbering
        >>> first, second = (Choice(0, Numbering.RECEIVES, number) for number in (0, 1))
        >>> one = Variant((), Decided(first, (2, 0)))
        >>> one.excludes(Variant((Decided(first, (1, 0)),), Decided(second, (3, 0))))
        True
        >>> one.excludes(Variant((), Decided(second, (3, 0))))
        False
        """
        mine = self.outcomes()
        return any(mine.get(choice, outcome) != outcome for choice, outcome in other.decided)


def variants(trace: MessageTrace) -> Iterator[Variant]:
    """Yield the variants of an execution."""
    for number, (choice, outcome) in trace.decided:
        kept = trace.unaffected(number)
        others = [other for other in _possible(trace, number, kept) if other != outcome]
        if others:
            unchanged = tuple(decided for at, decided in trace.decided if kept >> at & 1)
            for other in others:
                yield Variant(unchanged, Decided(choice, other))


def _possible(trace: MessageTrace, number: int, kept: int) -> Iterator[Outcome]:
    """Yield what can happen at a choice once all events in `kept` have happened."""
    event = trace.events[number]
    if isinstance(event.target, Selection):
        for alternative, completion in event.target.parts():
            if all(need >= 0 and kept >> need & 1 for need in trace.needs(completion)):
                yield alternative.value
    else:
        for message in _candidates(trace, event.target, kept):
            yield message.source, message.number
    if event.kind in (POLL, TEST) and event.refusable:
        yield REFUSED


def _candidates(trace: MessageTrace, receive: Receive, kept: int) -> Iterator[Message]:
    """Yield the race set of a receive: the messages that it could take once all events in `kept` have happened."""
    for source in range(trace.size) if receive.is_wildcard else (receive.source,):
        for message in trace.channels.get((source, receive.rank, receive.context), ()):
            if not kept >> trace.send(message) & 1:
                break
            taken = trace.take(message)
            if receive.accepts(message) and (taken < 0 or not kept >> taken & 1):
                if not _is_claimed(trace, receive, message, kept):
                    yield message
                break


def _is_claimed(trace: MessageTrace, receive: Receive, message: Message, kept: int) -> bool:
    """Return whether an earlier posted receive still waits for a message like this one."""
    return any(
        other.number < receive.number and other.accepts(message) and not _happened(trace.match(other), kept)
        for other in trace.posted.get((receive.rank, receive.context), ())
    )


def _happened(event: int, kept: int) -> bool:
    return event >= 0 and bool(kept >> event & 1)
