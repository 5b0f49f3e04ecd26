"""Follows the path of one process through its graph, and records the elements that it covers.

A path is a list of the numbers that probes append, with events of messages in between. It can be followed in parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from raddle.pcfg.data_flow import Definition, Use
from raddle.pcfg.graph import Process
from raddle.pcfg.unit import EXIT, Node, Unit


class EventKind(Enum):
    """What happened to a message or in a collective call."""

    SENT = auto()
    RECEIVED = auto()  # also: a receive was posted
    ENTERED = auto()  # a collective call


class PathEvent(NamedTuple):
    """An event in a path; `identity` is that of the message, the receive or the collective call."""

    kind: EventKind
    identity: Hashable


class Occurrence(NamedTuple):
    """The run of a node that sent or received something, and the variables that it sent."""

    node: int
    run: int  # 1 for the first run of the node in this execution
    sent: tuple[tuple[int, Definition, str], ...] = ()  # position in the payload, definition, variable


class Receipt:
    """The receive that defined variables; its identity is known only after the node has begun."""

    __slots__ = ("identity",)

    def __init__(self) -> None:
        self.identity: Hashable = None


class Defined(NamedTuple):
    """A definition that reaches the current node."""

    definition: Definition
    receipt: Receipt | None


_Reaching = dict[str, tuple[Defined, ...]]


class UnitIndex:
    """A unit, prepared for following paths."""

    __slots__ = ("entry", "outcomes", "unit")

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.entry = unit.entry
        self.outcomes = {(edge.source, edge.target): edge.outcome for edge in unit.edges}


class ProcessIndex:
    """The nodes and units of a process, prepared for following paths. All executions share it."""

    def __init__(self, process: Process) -> None:
        self.label = process.label
        self.units = [UnitIndex(unit) for unit in process.units]
        self.entries = {unit.entry: unit for unit in self.units}
        self.nodes: dict[int, tuple[Node, UnitIndex]] = {
            node.number: (node, unit) for unit in self.units for node in unit.unit.nodes
        }
        keys = {unit.unit.key: unit.entry for unit in self.units}
        self.passed: Mapping[int, Mapping[int, tuple[tuple[str, str], ...]]] = {
            number: {keys[call.function]: call.arguments for call in node.calls}
            for number, (node, _) in self.nodes.items()
            if node.calls
        }


class _Frame:
    """A unit that is running."""

    __slots__ = ("at_call", "deciding", "entry", "has_returned", "node", "reaching", "receipt", "sent", "unit")

    def __init__(self, unit: UnitIndex) -> None:
        self.unit = unit
        self.entry = unit.entry
        self.node = EXIT  # the last node
        self.has_returned = False
        self.reaching: _Reaching = {}
        self.at_call: _Reaching = {}  # the definitions that reached the last node, if it calls functions
        self.deciding: list[tuple[str, Defined]] = []  # what the last node, a condition, has used
        self.sent: tuple[tuple[int, Definition, str], ...] = ()
        self.receipt: Receipt | None = None


@dataclass
class Covered:
    """What a process has covered."""

    nodes: set[int] = field(default_factory=set)
    edges: set[tuple[int, int]] = field(default_factory=set)
    uses: set[tuple[Definition, Use]] = field(default_factory=set)
    sent: dict[Hashable, Occurrence] = field(default_factory=dict)
    received: dict[Hashable, Occurrence] = field(default_factory=dict)
    # The uses of variables that a message defined: the identity of the receive, the variable, the use.
    used_messages: set[tuple[Hashable, str, Use]] = field(default_factory=set)


class Tracker:
    """Follows the path of one process in one execution."""

    def __init__(self, index: ProcessIndex) -> None:
        self._index = index
        self._frames: list[_Frame] = []
        self._runs: Counter[int] = Counter()  # of the nodes that communicate
        self.covered = Covered()

    def follow(self, path: Iterable[int | PathEvent]) -> None:
        """Follow the next part of the path."""
        nodes, entries = self._index.nodes, self._index.entries
        for item in path:
            if isinstance(item, PathEvent):
                self._event(item)
            elif item < 0:
                self._leave(-item)
            elif item in entries:
                self._enter(entries[item])
            elif item in nodes:
                self._visit(*nodes[item])

    # -- units ----------------------------------------------------------------------------------------

    def _enter(self, unit: UnitIndex) -> None:
        frame = _Frame(unit)
        arguments: Mapping[str, str] = {}
        caller: _Frame | None = None
        if self._frames:
            caller = self._frames[-1]
            arguments = dict(self._index.passed.get(caller.node, {}).get(unit.entry, ()))
        self._frames.append(frame)
        known = self._index.nodes.get(unit.entry)
        if known is None:
            return
        self._visit(*known)
        if caller is not None:
            for parameter, argument in arguments.items():
                frame.reaching[parameter] = frame.reaching.get(parameter, ()) + caller.at_call.get(argument, ())

    def _leave(self, entry: int) -> None:
        if not any(frame.entry == entry for frame in self._frames):
            return
        while self._frames[-1].entry != entry:
            self._frames.pop()
        self._take(self._frames.pop(), EXIT)

    def _frame_of(self, unit: UnitIndex, number: int) -> _Frame:
        """Return the frame that runs a node, after removing the frames that have ended."""
        frames = self._frames
        while frames:
            frame = frames[-1]
            is_over = frame.has_returned and (frame.node, number) not in unit.outcomes
            if frame.unit is unit and not is_over:
                return frame
            if not any(other.unit is unit for other in frames[:-1]) and frame.unit is unit:
                return frame
            frames.pop()
        frames.append(_Frame(unit))  # such as a generator that continues
        return frames[-1]

    # -- nodes ----------------------------------------------------------------------------------------

    def _visit(self, node: Node, unit: UnitIndex) -> None:
        number = node.number
        frame = self._frame_of(unit, number)
        if frame.node:
            self._take(frame, number)
        covered, reaching = self.covered, frame.reaching
        frame.node, frame.has_returned, frame.sent, frame.receipt = number, node.ends_unit, (), None
        covered.nodes.add(number)
        for variable in node.computes_with:
            for one in reaching.get(variable, ()):
                self._use(one, Use(number, variable))
        if node.decides_with:
            frame.deciding = [(variable, one) for variable in node.decides_with for one in reaching.get(variable, ())]
        if node.calls:
            frame.at_call = dict(reaching)
        if node.sends or node.receives:
            self._communicate(frame, node)
        for variable in node.defines:
            reaching[variable] = (Defined(Definition(number, variable), frame.receipt),)

    def _communicate(self, frame: _Frame, node: Node) -> None:
        self._runs[node.number] += 1
        frame.sent = tuple(
            (position, one.definition, variable)
            for transfer in node.sends
            for position, variables in enumerate(transfer.variables)
            for variable in variables
            for one in frame.reaching.get(variable, ())
        )
        if node.receives:
            frame.receipt = Receipt()

    def _take(self, frame: _Frame, target: int) -> None:
        """Record the edge from the last node of a frame to `target`."""
        edge = frame.node, target
        outcome = frame.unit.outcomes.get(edge)
        if outcome is not None:
            self.covered.edges.add(edge)
            if outcome:
                for variable, one in frame.deciding:
                    self._use(one, Use(frame.node, variable, outcome))
        frame.deciding = []

    def _use(self, one: Defined, use: Use) -> None:
        self.covered.uses.add((one.definition, use))
        if one.receipt is not None and one.receipt.identity is not None:
            self.covered.used_messages.add((one.receipt.identity, one.definition.variable, use))

    # -- events ---------------------------------------------------------------------------------------

    def _event(self, event: PathEvent) -> None:
        sends = event.kind is not EventKind.RECEIVED
        frame = self._communicating(sends)
        if frame is None:
            return
        occurrence = Occurrence(frame.node, self._runs[frame.node], frame.sent)
        if sends:
            self.covered.sent[event.identity] = occurrence
        if event.kind is not EventKind.SENT:
            self.covered.received[event.identity] = occurrence
            if frame.receipt is not None:
                frame.receipt.identity = event.identity

    def _communicating(self, sends: bool) -> _Frame | None:
        """Return the frame whose last node sends or receives; the functions that it called have returned."""
        for frame in reversed(self._frames):
            known = self._index.nodes.get(frame.node)
            if known is not None and (known[0].sends if sends else known[0].receives):
                return frame
        return None
