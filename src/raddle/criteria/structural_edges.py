"""all-edges, all-edges-s and all-edges-s*: control edges, and sync-edges from sends to receives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raddle.criteria.structural import PROCESS, StructuralCriterion, node_clause, sync_edge_clause
from raddle.pcfg.elements import Element
from raddle.pcfg.matching import in_process
from raddle.requirement import SITE, Shape, word
from raddle.site import Site, where
from raddle.tally import Key


class EveryEdge(StructuralCriterion):
    """A requirement is (site, process, site, process). The processes of a control edge are equal."""

    name = "all-edges"
    element = Element.EDGES
    shape = Shape(SITE, PROCESS, SITE, PROCESS)
    summary = "the process runs the second statement right after the first, or the message is delivered"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        source, process, target, other = key
        if process != other:
            return sync_edge_clause(key, sites)
        after = f"then the statement {where(target, sites)}" if target else "then leaves the function"
        return f"{node_clause((source, process), 'runs the statement', sites)}, {after}"

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        return [(key[0], key[2])] if key[1] != key[3] else []


class AllSyncEdges(StructuralCriterion):
    """A requirement is (send, process, receive, process)."""

    name = "all-edges-s"
    element = Element.SYNC_EDGES
    shape = Shape(SITE, PROCESS, SITE, PROCESS)
    summary = "a message is delivered from the send of one process to the receive of the other"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return sync_edge_clause(key, sites)

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        return [(key[0], key[2])]


class AllRepeatedSyncEdges(StructuralCriterion):
    """A requirement is (send, iteration, process, receive, iteration, process)."""

    name = "all-edges-s*"
    element = Element.REPEATED_SYNC_EDGES
    shape = Shape(SITE, word("iteration"), PROCESS, SITE, word("iteration"), PROCESS)
    summary = "a message is delivered from the i-th run of the send to the j-th run of the receive"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        send, i, sender, receive, j, receiver = key
        return (
            f"run {i} of the send {where(send, sites)} in {in_process(sender)} is delivered to run {j} of the receive "
            f"{where(receive, sites)} in {in_process(receiver)}"
        )

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        return [(key[0], key[3])]
