"""Units: the control flow graph of a function or of a module, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from raddle.pcfg.primitives import Transfer

EXIT = 0  # stands for the end of a unit in an edge


class Outcome(StrEnum):
    """Which way an edge leaves a node."""

    ALWAYS = ""
    TRUE = "true"
    FALSE = "false"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the program. `arguments` maps parameters to the variables that are passed by name."""

    function: str  # the key of the called unit
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A statement. A condition of `if`, `while` or `for` is a node with the outcomes true and false."""

    number: int
    line: int
    text: str
    defines: tuple[str, ...] = ()
    computes_with: tuple[str, ...] = ()  # the variables of its c-uses
    decides_with: tuple[str, ...] = ()  # the variables of its p-uses
    sends: tuple[Transfer, ...] = ()
    receives: tuple[Transfer, ...] = ()
    calls: tuple[Call, ...] = ()
    ends_unit: bool = False  # True for `return`


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A control edge. `target` is EXIT if the unit ends there."""

    source: int
    target: int
    outcome: str = Outcome.ALWAYS


@dataclass(frozen=True, slots=True)
class Unit:
    """The control flow graph of a function, or of a module as one rank runs it."""

    key: str  # the file and the qualified name, such as "gcd.py:worker"
    file: str
    name: str  # the qualified name; "<module>" for a module
    entry: int  # the number of the entry; the entry of a function is also a node, which defines its parameters
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    flows: tuple[tuple[int, int], ...] = ()  # further ways that data can take, such as from a statement to a handler

    @property
    def variables(self) -> frozenset[str]:
        """The variables that the unit defines."""
        return frozenset(name for node in self.nodes for name in node.defines)
