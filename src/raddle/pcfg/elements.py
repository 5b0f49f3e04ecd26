"""The required elements of the structural criteria, as keys of requirements."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from raddle.pcfg.data_flow import DataFlow, Definition, Use
from raddle.pcfg.graph import Pcfg, Process, SyncEdge
from raddle.pcfg.primitives import Positions
from raddle.pcfg.unit import EXIT, Unit
from raddle.tally import Key


class Element(StrEnum):
    """The kinds of elements. Their names are those of the criteria that require them."""

    NODES = "all-nodes"
    SEND_NODES = "all-nodes-s"
    RECEIVE_NODES = "all-nodes-r"
    EDGES = "all-edges"
    SYNC_EDGES = "all-edges-s"
    C_USES = "all-c-uses"
    P_USES = "all-p-uses"
    S_USES = "all-s-uses"
    S_C_USES = "all-s-c-uses"
    S_P_USES = "all-s-p-uses"
    REPEATED_SYNC_EDGES = "all-edges-s*"


@dataclass
class Elements:
    """The required elements of a graph."""

    pcfg: Pcfg
    _flows: dict[int, DataFlow] = field(default_factory=dict)

    def required(self, element: Element) -> Iterator[Key]:
        """Yield the required elements of one kind, in a fixed order and without duplicates."""
        yield from dict.fromkeys(_KINDS[element](self))

    def flow(self, process: Process) -> DataFlow:
        """Return the data flow in a process."""
        if process.rank not in self._flows:
            self._flows[process.rank] = DataFlow(process)
        return self._flows[process.rank]

    def _nodes(self) -> Iterator[Key]:
        return ((node.number, process.label) for process in self.pcfg.processes for node in process.nodes)

    def _send_nodes(self) -> Iterator[Key]:
        return ((n.number, process.label) for process in self.pcfg.processes for n in process.nodes if n.sends)

    def _receive_nodes(self) -> Iterator[Key]:
        return ((n.number, process.label) for process in self.pcfg.processes for n in process.nodes if n.receives)

    def _edges(self) -> Iterator[Key]:
        for process in self.pcfg.processes:
            for unit in process.units:
                yield from control_edges(unit, process.label)
        yield from self._sync_edges()

    def _sync_edges(self) -> Iterator[Key]:
        return (sync_edge(pair) for pair in self.pcfg.sync_edges)

    def _c_uses(self) -> Iterator[Key]:
        for process in self.pcfg.processes:
            for definition, use in self.flow(process).associations:
                if not use.outcome:
                    yield c_use(definition, use, process.label)

    def _p_uses(self) -> Iterator[Key]:
        for process in self.pcfg.processes:
            for definition, use in self.flow(process).associations:
                if use.outcome:
                    yield p_use(definition, use, process.label)

    def s_uses(self, pair: SyncEdge) -> Iterator[Key]:
        """Yield the s-uses of a pair of a send and a receive."""
        for _, definition, variable in self._sent(pair):
            yield s_use(definition, variable, sync_edge(pair))

    def _sent(self, pair: SyncEdge) -> tuple[tuple[int, Definition, str], ...]:
        return self.flow(self.pcfg.processes[pair.send.rank]).sent[pair.send.node]

    def _s_uses(self) -> Iterator[Key]:
        return (key for pair in self.pcfg.sync_edges for key in self.s_uses(pair))

    def _further_uses(self) -> Iterator[tuple[Key, str, Use]]:
        """Yield each s-use with the received variable and a use of it in the receiver."""
        for pair in self.pcfg.sync_edges:
            uses = self.flow(self.pcfg.processes[pair.receive.rank]).uses_of
            for position, definition, variable in self._sent(pair):
                sent = s_use(definition, variable, sync_edge(pair))
                payload = pair.send.transfer.variables
                for name in received(position, payload, pair.receive.transfer.variables):
                    for use in uses.get(Definition(pair.receive.node, name), ()):
                        yield sent, name, use

    def _s_c_uses(self) -> Iterator[Key]:
        return (s_c_use(sent, name, use) for sent, name, use in self._further_uses() if not use.outcome)

    def _s_p_uses(self) -> Iterator[Key]:
        return (s_p_use(sent, name, use) for sent, name, use in self._further_uses() if use.outcome)

    def _repeated(self) -> Iterator[Key]:
        limit = self.pcfg.options.iterations
        times = {process.rank: repeated_nodes(process) for process in self.pcfg.processes}
        for pair in self.pcfg.sync_edges:
            for i in iterations(limit, repeats=pair.send.node in times[pair.send.rank]):
                for j in iterations(limit, repeats=pair.receive.node in times[pair.receive.rank]):
                    yield repeated_sync_edge(sync_edge(pair), i, j)


_KINDS: Mapping[Element, Callable[[Elements], Iterator[Key]]] = {
    Element.NODES: Elements._nodes,
    Element.SEND_NODES: Elements._send_nodes,
    Element.RECEIVE_NODES: Elements._receive_nodes,
    Element.EDGES: Elements._edges,
    Element.SYNC_EDGES: Elements._sync_edges,
    Element.C_USES: Elements._c_uses,
    Element.P_USES: Elements._p_uses,
    Element.S_USES: Elements._s_uses,
    Element.S_C_USES: Elements._s_c_uses,
    Element.S_P_USES: Elements._s_p_uses,
    Element.REPEATED_SYNC_EDGES: Elements._repeated,
}


# -- keys ---------------------------------------------------------------------------------------------


def control_edges(unit: Unit, process: str) -> Iterator[Key]:
    """Yield the control edges of a unit. Only a condition has an edge to the end of the unit."""
    for edge in unit.edges:
        if edge.target != EXIT or edge.outcome:
            yield control_edge(edge.source, edge.target, process)


def control_edge(source: int, target: int, process: str) -> Key:
    """Return the key of a control edge; the target is EXIT if the unit ends there."""
    return source, process, target, process


def sync_edge(pair: SyncEdge) -> Key:
    """Return the key of a sync-edge."""
    return pair.send.node, pair.send.process, pair.receive.node, pair.receive.process


def c_use(definition: Definition, use: Use, process: str) -> Key:
    """Return the key of a c-use."""
    return definition.node, use.node, process, use.variable


def p_use(definition: Definition, use: Use, process: str) -> Key:
    """Return the key of a p-use."""
    return definition.node, use.node, use.outcome, process, use.variable


def s_use(definition: Definition, variable: str, edge: Key) -> Key:
    """Return the key of an s-use on a sync-edge."""
    return definition.node, variable, *edge


def s_c_use(sent: Key, received_variable: str, use: Use) -> Key:
    """Return the key of an s-use followed by a c-use."""
    return *sent, received_variable, use.node


def s_p_use(sent: Key, received_variable: str, use: Use) -> Key:
    """Return the key of an s-use followed by a p-use."""
    return *sent, received_variable, use.node, use.outcome


def repeated_sync_edge(edge: Key, i: str, j: str) -> Key:
    """Return the key of a sync-edge between the i-th run of its send node and the j-th run of its receive node."""
    send, sender, receive, receiver = edge
    return send, i, sender, receive, j, receiver


def received(position: int, payload: Positions, target: Positions) -> tuple[str, ...]:
    """Return the variables that an element of a payload defines in the receiver.

    Elements and targets pair by position if there are equally many of them.

    >>> received(1, (("x",), ("y",)), (("a",), ("b",))), received(1, (("x",), ("y",)), (("buffer",),))
    (('b',), ('buffer',))
    """
    if len(payload) == len(target):
        return target[position]
    return tuple(dict.fromkeys(name for names in target for name in names))


def iterations(limit: int, *, repeats: bool) -> list[str]:
    """Return the parts of keys for the runs of a node.

    >>> iterations(2, repeats=True), iterations(2, repeats=False), iterations(1, repeats=False)
    (['1', '2+'], ['1'], ['1+'])
    """
    return list(dict.fromkeys(iteration(number, limit) for number in range(1, limit + 1 if repeats else 2)))


def iteration(number: int, limit: int) -> str:
    """Return the part of a key for the number-th run of a node."""
    return f"{limit}+" if number >= limit else str(number)


def repeated_nodes(process: Process) -> frozenset[int]:
    """Return the nodes that one execution of a process may run several times."""
    cyclic = {unit.key: _in_cycles(unit) for unit in process.units}
    calls = Counter(call.function for node in process.nodes for call in node.calls)
    often = {key for key, times in calls.items() if times > 1}
    changed = True
    while changed:  # a function that is called in a loop, or by a function that runs several times
        changed = False
        for unit in process.units:
            for node in unit.nodes:
                if unit.key in often or node.number in cyclic[unit.key]:
                    fresh = {call.function for call in node.calls} - often
                    changed |= bool(fresh)
                    often |= fresh
    nodes = {node.number for unit in process.units if unit.key in often for node in unit.nodes}
    return frozenset(nodes.union(*cyclic.values()))


def _in_cycles(unit: Unit) -> set[int]:
    successors: dict[int, set[int]] = defaultdict(set)
    for edge in unit.edges:
        successors[edge.source].add(edge.target)
    found = set()
    for node in unit.nodes:
        seen: set[int] = set()
        pending = list(successors[node.number])
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                pending += successors[number]
        if node.number in seen:
            found.add(node.number)
    return found
