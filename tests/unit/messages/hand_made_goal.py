"""A goal for tests of the composite approach: sync-edges between nodes that the test numbers by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from raddle.messages.choices import REFUSED, Decided
from raddle.messages.trace import MessageTrace


class Node(NamedTuple):
    """A run of a statement that communicates."""

    rank: int
    name: str
    run: int = 1


class SyncEdges:
    """The goal that each of the given sync-edges is covered.

    `nodes` names the node of the n-th send or receive of a rank. With `by_run`, an edge connects runs of nodes.
    """

    def __init__(
        self,
        required: Iterable[tuple[Node, Node]],
        *,
        sends: Callable[[int, int], Node],
        receives: Callable[[int, int], Node],
        by_run: bool = False,
    ) -> None:
        self.required = frozenset(required)
        self._sends, self._receives, self._by_run = sends, receives, by_run

    def covered(self, trace: MessageTrace) -> list[tuple[Node, Node]]:
        return list(self._edges(trace))

    def _edges(self, trace: MessageTrace) -> Iterator[tuple[Node, Node]]:
        for messages in trace.channels.values():
            for message in messages:
                if message.receive is not None:
                    receive = message.receive
                    yield self._edge(message.source, message.number, receive.rank, receive.number)

    def promised(self, trace: MessageTrace, changed: Decided) -> list[tuple[Node, Node]]:
        if changed.outcome == REFUSED:
            return []
        source, number = changed.outcome
        return [self._edge(source, number, changed.choice.rank, changed.choice.number)]

    def _edge(self, source: int, number: int, rank: int, receive: int) -> tuple[Node, Node]:
        edge = self._sends(source, number), self._receives(rank, receive)
        return edge if self._by_run else (edge[0]._replace(run=1), edge[1]._replace(run=1))
