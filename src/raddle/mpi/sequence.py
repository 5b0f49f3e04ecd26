"""SYN-sequences: which message each receive of an execution took."""

from __future__ import annotations

from dataclasses import dataclass

from raddle.mpi.exchange import Exchange

# A message or a receive: the rank, and its position among the messages or the receives of that rank.
Numbered = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sequence:
    """The synchronization sequence of an execution (Lei and Carver), as pairs of receives and messages.

    `str` shows the sources of the messages that each rank received, in the order in which the receives were posted.

    >>> print(Sequence(frozenset({((0, 0), (2, 0)), ((0, 1), (1, 0)), ((1, 0), (0, 0))})))
    0: 2 1; 1: 0
    """

    matches: frozenset[tuple[Numbered, Numbered]]

    def __str__(self) -> str:
        sources: dict[int, list[int]] = {}
        for (rank, _), (source, _) in sorted(self.matches):
            sources.setdefault(rank, []).append(source)
        return "; ".join(f"{rank}: {' '.join(map(str, received))}" for rank, received in sources.items())


def sequence_of(exchange: Exchange) -> Sequence:
    """Return the SYN-sequence of an execution."""
    return Sequence(
        frozenset(
            ((receive.rank, receive.number), (receive.message.source, receive.message.number))
            for receive in exchange.receives
            if receive.message is not None
        )
    )
