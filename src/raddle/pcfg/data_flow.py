"""Data flow in one process: reaching definitions, and the associations of definitions with uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from raddle.pcfg.graph import Process
from raddle.pcfg.unit import Edge, Node, Unit


@dataclass(frozen=True, slots=True, order=True)
class Definition:
    """A node that defines a variable."""

    node: int
    variable: str


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """A use of a variable in a node: a c-use, or a p-use on the edges that leave a condition with this outcome."""

    node: int
    variable: str
    outcome: str = ""  # "" for a c-use


Reaching = Mapping[int, frozenset[Definition]]  # the definitions that reach each node


def reaching_definitions(unit: Unit) -> Reaching:
    """Return the definitions that reach the nodes of a unit, before the nodes define variables themselves."""
    nodes = {node.number: node for node in unit.nodes}
    successors: dict[int, set[int]] = defaultdict(set)
    for edge in unit.edges:
        successors[edge.source].add(edge.target)
    raising: dict[int, set[int]] = defaultdict(set)
    for source, target in unit.flows:
        raising[source].add(target)
    before: dict[int, frozenset[Definition]] = {number: frozenset() for number in nodes}
    pending = list(nodes)
    while pending:
        node = nodes[pending.pop()]
        kept = {one for one in before[node.number] if one.variable not in node.defines}
        after = kept | {Definition(node.number, name) for name in node.defines}
        # A statement that raises an exception may have defined its variables, or not.
        leaving = [(number, after) for number in successors[node.number]]
        leaving += [(number, after | before[node.number]) for number in raising[node.number]]
        for number, arriving in leaving:
            if number in before and not arriving <= before[number]:
                before[number] |= arriving
                pending.append(number)
    return before


@dataclass
class DataFlow:
    """The data flow in one process, including arguments that are variables of the caller, one call deep."""

    process: Process
    _reaching: dict[int, Reaching] = field(default_factory=dict)  # by the number of the unit's entry

    @cached_property
    def _passed(self) -> Mapping[Definition, frozenset[Definition]]:
        """For the definition of a parameter at the entry of a function: the definitions of the arguments."""
        entries = {unit.key: unit.entry for unit in self.process.units}
        passed: dict[Definition, set[Definition]] = defaultdict(set)
        for unit in self.process.units:
            for node in unit.nodes:
                for call in node.calls:
                    for parameter, argument in call.arguments:
                        reaching = self._local(unit, node, argument)
                        passed[Definition(entries[call.function], parameter)] |= reaching
        return {definition: frozenset(arguments) for definition, arguments in passed.items()}

    def _local(self, unit: Unit, node: Node, variable: str) -> set[Definition]:
        if unit.entry not in self._reaching:
            self._reaching[unit.entry] = reaching_definitions(unit)
        return {one for one in self._reaching[unit.entry][node.number] if one.variable == variable}

    def definitions(self, unit: Unit, node: Node, variable: str) -> list[Definition]:
        """Return the definitions of a variable that reach a node, in a fixed order."""
        found = self._local(unit, node, variable)
        for one in list(found):
            found |= self._passed.get(one, frozenset())
        return sorted(found)

    @cached_property
    def associations(self) -> tuple[tuple[Definition, Use], ...]:
        """The pairs of a definition and a c-use or p-use that it reaches."""
        return tuple(dict.fromkeys(self._associations()))

    def _associations(self) -> Iterator[tuple[Definition, Use]]:
        for unit in self.process.units:
            leaving: dict[int, list[Edge]] = defaultdict(list)
            for edge in unit.edges:
                leaving[edge.source].append(edge)
            for node in unit.nodes:
                for variable in node.computes_with:
                    for definition in self.definitions(unit, node, variable):
                        yield definition, Use(node.number, variable)
                outcomes = dict.fromkeys(edge.outcome for edge in leaving[node.number] if edge.outcome)
                for variable in node.decides_with:
                    for definition in self.definitions(unit, node, variable):
                        for outcome in outcomes:
                            yield definition, Use(node.number, variable, outcome)

    @cached_property
    def uses_of(self) -> Mapping[Definition, tuple[Use, ...]]:
        """The uses that each definition reaches."""
        uses: dict[Definition, list[Use]] = defaultdict(list)
        for definition, use in self.associations:
            uses[definition].append(use)
        return {definition: tuple(found) for definition, found in uses.items()}

    @cached_property
    def sent(self) -> Mapping[int, tuple[tuple[int, Definition, str], ...]]:
        """For each node that sends: position in the payload, definition and variable of everything sent."""
        result = {}
        for unit in self.process.units:
            for node in unit.nodes:
                if node.sends:
                    result[node.number] = tuple(
                        (position, definition, variable)
                        for transfer in node.sends
                        for position, variables in enumerate(transfer.variables)
                        for variable in variables
                        for definition in self.definitions(unit, node, variable)
                    )
        return result
