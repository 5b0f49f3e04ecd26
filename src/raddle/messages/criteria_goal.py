"""The goal to cover the elements that structural criteria require."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from raddle.messages.choices import REFUSED, Decided, Numbering
from raddle.messages.goal import Requirement
from raddle.messages.trace import MessageTrace
from raddle.mpi.operations import COMPLETE
from raddle.mpi.world import MpiWorld
from raddle.pcfg.coverage import CoverageOfExecutions, Match, transfers_of
from raddle.pcfg.elements import Element
from raddle.pcfg.graph import Pcfg
from raddle.pcfg.tracking import Covered

DEFAULT_CRITERIA = ("all-edges-s", "all-s-uses")  # those of the paper's experiment


class CriteriaGoal:
    """The required elements of some criteria. Executions have to be measured, so that the world has their paths."""

    def __init__(self, world: MpiWorld, graph: Pcfg, criteria: Iterable[str]) -> None:
        self._world = world
        self._coverage = CoverageOfExecutions(graph, [Element(name) for name in criteria])

    @property
    def required(self) -> Collection[Requirement]:
        """All required elements, with their criteria."""
        return {(element, key) for element, keys in self._coverage.required.items() for key in keys}

    def covered(self, trace: MessageTrace) -> Collection[Requirement]:
        """Return the elements that the execution which has just ended covers."""
        elements = self._coverage.covered(self._processes(), self._matches(trace))
        return {(element, key) for _, element, key in elements}

    def promised(self, trace: MessageTrace, changed: Decided) -> Collection[Requirement]:
        """Return the sync-edges and s-uses from the other message to the changed receive.

        If the two receives exchange their messages, the edges of the other receive are promised too, because that is
        the likely consequence.
        """
        choice, outcome = changed
        if choice.numbering is not Numbering.RECEIVES or outcome == REFUSED:
            return ()
        receive = trace.taker(choice.rank, choice.number)
        matches = [Match(outcome[0], outcome, choice.rank, receive)]
        before, other = trace.outcome(choice), trace.receive_of(outcome)
        if before and other is not None:
            matches.append(Match(before[0], before, choice.rank, other.number))
        processes = self._processes()
        return {element for match in matches for element in self._coverage.of_match(match, processes)}

    def _processes(self) -> Sequence[Covered]:
        return [path.fold().covered for path in self._world.paths]

    def _matches(self, trace: MessageTrace) -> Iterator[Match]:
        for messages in trace.channels.values():
            for message in messages:
                if message.receive is not None:
                    receive = message.receive
                    yield Match(message.source, (message.source, message.number), receive.rank, receive.number)
        for event in trace.events:
            if event.kind == COMPLETE:
                call = event.target.call
                entry = next(iter(call.entries.values()))
                members = [rank for rank in call.members if rank in call.entries]
                identity = call.context, call.number, "collective"
                yield from transfers_of(entry.name, entry.root, members, [event.rank], identity)
