"""What the structural criteria for message-passing programs share.

A recorder of ranks writes one step for each element that an execution covers. The kind of the step is the name of the
criterion that requires the element.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import ClassVar

from raddle.criteria.base import LINEAR, Criterion
from raddle.entities import Entities
from raddle.pcfg.elements import Element, Elements
from raddle.pcfg.matching import in_process
from raddle.pcfg.numbering import ENTRY
from raddle.pruning_facts import PruningFacts
from raddle.requirement import word
from raddle.site import Site, where
from raddle.static_model import StaticModel
from raddle.step import Step
from raddle.tally import STATIC, Key, Total

PROCESS = word("process")
VARIABLE_NAME = word("variable")
OUTCOME = word("outcome")


class StructuralCriterion(Criterion):
    """A criterion whose requirements are elements of the parallel control flow graph."""

    family = "Souza et al."
    paper = (
        "Souza, Souza, Brito, Simao, Zaluska: Empirical evaluation of a new composite approach to the coverage "
        "criteria and reachability testing of concurrent programs"
    )
    cost = LINEAR
    by_order = True
    total_known = True
    element: ClassVar[Element]

    def begin(self, entities: Entities) -> None:
        self._entities = entities
        self._covered: set[int] = set()
        self._reported: set[int] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        kind = self.element.value
        self._covered.update([element for _, name, element, _ in steps if name == kind])

    def collect(self, *, final: bool) -> set[Key]:
        fresh = self._covered - self._reported
        self._reported |= fresh
        return {self._entities.elements[number] for number in fresh}

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Keep everything, because steps refer to elements only."""

    def static_total(self, model: StaticModel) -> Total:
        return Total(sum(1 for _ in self._elements(model)), STATIC)

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key]:
        return self._elements(model)

    def _elements(self, model: StaticModel) -> Iterator[Key]:
        return iter(dict.fromkeys(key for graph in model.graphs for key in Elements(graph).required(self.element)))


def sync_edge_clause(edge: Key, sites: Mapping[int, Site]) -> str:
    """Return a sync-edge as a clause."""
    send, sender, receive, receiver = edge
    return (
        f"the send {where(send, sites)} in {in_process(sender)} is delivered to the receive {where(receive, sites)} "
        f"in {in_process(receiver)}"
    )


def node_clause(key: Key, verb: str, sites: Mapping[int, Site]) -> str:
    """Return what a process does at a node as a clause."""
    site, process = key
    found = sites.get(site)
    if found is not None and found.name == ENTRY:
        return f"{in_process(process)} enters `{found.function}` {where(site, sites)}"
    return f"{in_process(process)} {verb} {where(site, sites)}"
