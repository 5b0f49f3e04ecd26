"""all-nodes, all-nodes-s and all-nodes-r: every statement, every send and every receive of every process."""

from __future__ import annotations

from collections.abc import Mapping

from raddle.criteria.structural import PROCESS, StructuralCriterion, node_clause
from raddle.pcfg.elements import Element
from raddle.requirement import SITE, Shape
from raddle.site import Site
from raddle.tally import Key


class AllNodes(StructuralCriterion):
    """A requirement is (site, process).

    >>> AllNodes().explain((70001, "worker 2"), {})
    'worker 2 runs the statement in code without probes'
    """

    name = "all-nodes"
    element = Element.NODES
    shape = Shape(SITE, PROCESS)
    summary = "the process runs the statement"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return node_clause(key, "runs the statement", sites)


class AllSendNodes(StructuralCriterion):
    """A requirement is (site, process)."""

    name = "all-nodes-s"
    element = Element.SEND_NODES
    shape = Shape(SITE, PROCESS)
    summary = "the process runs the statement, which sends a message or takes part in a collective operation"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return node_clause(key, "runs the send", sites)


class AllReceiveNodes(StructuralCriterion):
    """A requirement is (site, process)."""

    name = "all-nodes-r"
    element = Element.RECEIVE_NODES
    shape = Shape(SITE, PROCESS)
    summary = "the process runs the statement, which receives a message or takes part in a collective operation"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return node_clause(key, "runs the receive", sites)
