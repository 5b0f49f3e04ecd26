"""The elements that one execution covers, from the paths of its processes and the matches of its messages."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from raddle.pcfg.data_flow import Use
from raddle.pcfg.elements import (
    Element,
    Elements,
    c_use,
    control_edge,
    iteration,
    p_use,
    received,
    repeated_sync_edge,
    s_c_use,
    s_p_use,
    s_use,
)
from raddle.pcfg.graph import Pcfg
from raddle.pcfg.primitives import Pattern, Positions, pattern_of
from raddle.pcfg.tracking import Covered, Occurrence, ProcessIndex
from raddle.tally import Key


class Match(NamedTuple):
    """A message and the receive that took it, or the data that one rank got from another in a collective call."""

    sender: int
    message: Hashable  # the identity in the path of the sender
    receiver: int
    receive: Hashable  # the identity in the path of the receiver


def transfers_of(
    operation: str, root: int | None, members: Sequence[int], completed: Collection[int], identity: Hashable
) -> Iterator[Match]:
    """Yield the transfers of data in a collective call that `members` entered and `completed` completed."""
    pattern = pattern_of(operation)
    for receiver in completed:
        for sender in members:
            if sender != receiver and (
                pattern is Pattern.ALL_TO_ALL
                or (pattern is Pattern.FROM_ROOT and sender == root)
                or (pattern is Pattern.TO_ROOT and receiver == root)
                or (pattern is Pattern.UPWARDS and members.index(sender) < members.index(receiver))
            ):
                yield Match(sender, identity, receiver, identity)


class CoverageOfExecutions:
    """Finds the required elements that executions cover. One instance serves all executions of a program."""

    def __init__(self, pcfg: Pcfg, wanted: Iterable[Element]) -> None:
        self._pcfg = pcfg
        elements = Elements(pcfg)
        # Elements of calls that the static analysis does not see are not required, so they do not count as covered.
        self.required = {element: frozenset(elements.required(element)) for element in wanted}
        self.indices = [ProcessIndex(process) for process in pcfg.processes]  # by rank

    def covered(self, processes: Sequence[Covered], matches: Iterable[Match]) -> Iterator[tuple[int, Element, Key]]:
        """Yield the rank, the kind and the key of each element that an execution covers."""
        for rank, process in enumerate(processes):
            for element, key in self.of_process(rank, process):
                yield rank, element, key
        for match in matches:
            for element, key in self.of_match(match, processes):
                yield match.receiver, element, key

    def of_process(self, rank: int, covered: Covered) -> Iterator[tuple[Element, Key]]:
        """Yield the kind and the key of each element that a process covers by itself."""
        return ((element, key) for element, key in self._of_process(rank, covered) if key in self.required[element])

    def of_match(self, match: Match, processes: Sequence[Covered]) -> Iterator[tuple[Element, Key]]:
        """Yield the elements that a message covers, also if another receive took it in this execution."""
        return ((element, key) for element, key in self._of_match(match, processes) if key in self.required[element])

    def _of_process(self, rank: int, covered: Covered) -> Iterator[tuple[Element, Key]]:
        label, wanted = self.indices[rank].label, self.required
        for element in (Element.NODES, Element.SEND_NODES, Element.RECEIVE_NODES):
            if element in wanted:
                for number in covered.nodes:
                    yield element, (number, label)
        if Element.EDGES in wanted:
            for source, target in covered.edges:
                yield Element.EDGES, control_edge(source, target, label)
        if Element.C_USES in wanted or Element.P_USES in wanted:
            for definition, use in covered.uses:
                if use.outcome and Element.P_USES in wanted:
                    yield Element.P_USES, p_use(definition, use, label)
                elif not use.outcome and Element.C_USES in wanted:
                    yield Element.C_USES, c_use(definition, use, label)

    def _of_match(self, match: Match, processes: Sequence[Covered]) -> Iterator[tuple[Element, Key]]:
        wanted = self.required
        send = processes[match.sender].sent.get(match.message)
        receive = processes[match.receiver].received.get(match.receive)
        if send is None or receive is None:
            return
        edge = (send.node, self.indices[match.sender].label, receive.node, self.indices[match.receiver].label)
        for element in (Element.EDGES, Element.SYNC_EDGES):
            if element in wanted:
                yield element, edge
        if Element.REPEATED_SYNC_EDGES in wanted:
            limit = self._pcfg.options.iterations
            i, j = iteration(send.run, limit), iteration(receive.run, limit)
            yield Element.REPEATED_SYNC_EDGES, repeated_sync_edge(edge, i, j)
        if Element.S_USES in wanted:
            for _, definition, variable in send.sent:
                yield Element.S_USES, s_use(definition, variable, edge)
        if Element.S_C_USES in wanted or Element.S_P_USES in wanted:
            uses = processes[match.receiver].used_messages
            yield from self._further_uses(match, send, receive, edge, uses)

    def _further_uses(
        self,
        match: Match,
        send: Occurrence,
        receive: Occurrence,
        edge: Key,
        uses: Iterable[tuple[Hashable, str, Use]],
    ) -> Iterator[tuple[Element, Key]]:
        wanted = self.required
        targets = self._variables(match.receiver, receive.node, sends=False)
        payload = self._variables(match.sender, send.node, sends=True)
        mine = [(name, use) for identity, name, use in uses if identity == match.receive]
        for position, definition, variable in send.sent:
            names = received(position, payload, targets)
            sent = s_use(definition, variable, edge)
            for name, use in mine:
                if name not in names:
                    continue
                if use.outcome and Element.S_P_USES in wanted:
                    yield Element.S_P_USES, s_p_use(sent, name, use)
                elif not use.outcome and Element.S_C_USES in wanted:
                    yield Element.S_C_USES, s_c_use(sent, name, use)

    def _variables(self, rank: int, number: int, *, sends: bool) -> Positions:
        node, _ = self.indices[rank].nodes[number]
        return (node.sends if sends else node.receives)[0].variables
