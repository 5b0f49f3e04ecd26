"""The elements that a tracker finds in random functions, compared with an oracle that traces lines.

The oracle shares no code with the tracker. Python's trace function reports the lines of a frame. The generator knows
which variables each line defines and uses.
"""

from __future__ import annotations

import ast
import random
import sys
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import pytest

from raddle.pcfg.build import build_pcfg
from raddle.pcfg.data_flow import DataFlow
from raddle.pcfg.graph import Options
from raddle.pcfg.instrumented import insert_probes
from raddle.pcfg.numbering import number_statements
from raddle.pcfg.program import Source
from raddle.pcfg.tracking import ProcessIndex, Tracker
from raddle.pcfg.unit import EXIT

BASE = 1 << 16
NAMES = ("a", "b", "c")
PROGRAMS = 400


@dataclass
class Generated:
    """A random function, one statement per line."""

    lines: list[str] = field(default_factory=lambda: ["def f(a, b, c):"])
    defines: dict[int, tuple[str, ...]] = field(default_factory=lambda: {1: NAMES})
    uses: dict[int, tuple[str, ...]] = field(default_factory=dict)  # c-uses
    decides: dict[int, tuple[str, ...]] = field(default_factory=dict)  # p-uses
    nodes: set[int] = field(default_factory=lambda: {1})
    handlers: set[int] = field(default_factory=set)
    loops: int = 0

    def add(self, depth: int, text: str, *, is_node: bool = True) -> int:
        """Add a line and return its number."""
        self.lines.append("    " * depth + text)
        number = len(self.lines)
        if is_node:
            self.nodes.add(number)
        return number


def block(rng: random.Random, made: Generated, depth: int, in_loop: bool) -> None:
    for _ in range(rng.randint(1, 3)):
        statement(rng, made, depth, in_loop)


def statement(rng: random.Random, made: Generated, depth: int, in_loop: bool) -> None:
    kind = rng.choice(["assign", "assign", "store", "if", "while", "for", "try", "finally", "jump", "return"])
    one, other, target = rng.choice(NAMES), rng.choice(NAMES), rng.choice(NAMES)
    if depth > 3 or kind == "assign":
        line = made.add(depth, f"{target} = {one} + {other}")
        made.defines[line], made.uses[line] = (target,), (one, other)
    elif kind == "store":
        line = made.add(depth, f"{target} += {one}")
        made.defines[line], made.uses[line] = (target,), (target, one)
    elif kind == "if":
        line = made.add(depth, f"if {one} % 3 < 2:")
        made.decides[line] = (one,)
        block(rng, made, depth + 1, in_loop)
        if rng.random() < 0.6:
            made.add(depth, "else:", is_node=False)
            block(rng, made, depth + 1, in_loop)
    elif kind == "while":
        made.loops += 1
        counter = f"k{made.loops}"
        line = made.add(depth, f"{counter} = 0")
        made.defines[line] = (counter,)
        line = made.add(depth, f"while {counter} < 3 and {one} < 90:")
        made.decides[line] = (counter, one)
        line = made.add(depth + 1, f"{counter} += 1")
        made.defines[line], made.uses[line] = (counter,), (counter,)
        block(rng, made, depth + 1, True)
    elif kind == "for":
        line = made.add(depth, f"for {target} in range({one} % 4):")
        made.defines[line], made.decides[line] = (target,), (one,)
        block(rng, made, depth + 1, True)
        if rng.random() < 0.3:
            made.add(depth, "else:", is_node=False)
            block(rng, made, depth + 1, in_loop)
    elif kind == "try":
        made.add(depth, "try:", is_node=False)
        block(rng, made, depth + 1, in_loop)
        line = made.add(depth + 1, f"{target} = 7 // ({one} % 2)")
        made.defines[line], made.uses[line] = (target,), (one,)
        made.handlers.add(made.add(depth, "except ZeroDivisionError:"))
        block(rng, made, depth + 1, in_loop)
    elif kind == "finally":
        made.add(depth, "try:", is_node=False)
        block(rng, made, depth + 1, False)
        made.add(depth, "finally:", is_node=False)
        line = made.add(depth + 1, f"{target} = {one}")
        made.defines[line], made.uses[line] = (target,), (one,)
    elif kind == "jump" and in_loop:
        made.add(depth, rng.choice(["break", "continue"]))
    elif kind == "return" and rng.random() < 0.3:
        line = made.add(depth, f"return {one}")
        made.uses[line] = (one,)
    else:
        made.add(depth, "pass")


def generated(seed: int) -> Generated:
    rng, made = random.Random(seed), Generated()
    block(rng, made, 1, False)
    block(rng, made, 1, False)
    return made


@dataclass
class Expected:
    """What the oracle sees."""

    nodes: set[int] = field(default_factory=set)
    edges: set[tuple[int, int]] = field(default_factory=set)
    c_uses: set[tuple[int, int, str]] = field(default_factory=set)
    p_uses: set[tuple[int, int, int, str]] = field(default_factory=set)  # definition, condition, next line, variable


def traced(made: Generated, arguments: tuple[int, ...]) -> list[int]:
    """Return the lines of nodes that a call runs, in order; the definition of the function comes first."""
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(made.lines), "generated", "exec"), namespace)
    lines = [1]

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename == "generated" and event == "line" and frame.f_lineno in made.nodes:
            lines.append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        namespace["f"](*arguments)
    finally:
        sys.settrace(before)
    return lines


def expected(made: Generated, lines: list[int]) -> Expected:
    found, reaching = Expected(), {}
    for line, after in zip(lines, [*lines[1:], EXIT], strict=True):
        found.nodes.add(line)
        found.c_uses |= {(reaching[name], line, name) for name in made.uses.get(line, ())}
        if after not in made.handlers and (after or line in made.decides):
            found.edges.add((line, after))
        if line in made.decides:
            found.p_uses |= {(reaching[name], line, after, name) for name in made.decides[line]}
        reaching.update(dict.fromkeys(made.defines.get(line, ()), line))
    return found


def tracked(made: Generated, arguments: tuple[int, ...]) -> tuple[Expected, Expected]:
    """Return what the tracker finds in a call, and what the static analysis requires."""
    text = "\n".join(made.lines)
    pcfg = build_pcfg(Source("generated", BASE, text), Options(1, "f(0)"))
    (process,) = pcfg.processes
    tree = ast.parse(text)
    numbering = number_statements(tree, BASE)
    insert_probes(tree, numbering, "probes")
    path: list[int] = []
    namespace: dict[str, Any] = {"probes": (path.append, path.append)}
    exec(compile(tree, "generated", "exec"), namespace)
    namespace["f"](*arguments)
    tracker = Tracker(ProcessIndex(process))
    tracker.follow(path)
    (unit,) = process.units
    required = Expected(nodes={node.line for node in unit.nodes})
    line_of = {node.number: node.line for node in unit.nodes} | {EXIT: EXIT}
    outcomes: dict[tuple[int, str], int] = {}
    for edge in unit.edges:
        if edge.target or edge.outcome:
            required.edges.add((line_of[edge.source], line_of[edge.target]))
        outcomes[edge.source, edge.outcome] = line_of[edge.target]
    found = Expected(nodes={line_of[number] for number in tracker.covered.nodes})
    conditions = {edge.source for edge in unit.edges if edge.outcome}
    found.edges = {(line_of[a], line_of[b]) for a, b in tracker.covered.edges if b or a in conditions}
    for uses, into in ((tracker.covered.uses, found), (DataFlow(process).associations, required)):
        for definition, use in uses:
            if use.outcome:
                target = outcomes[use.node, use.outcome]
                into.p_uses.add((line_of[definition.node], line_of[use.node], target, use.variable))
            else:
                into.c_uses.add((line_of[definition.node], line_of[use.node], use.variable))
    return found, required


@pytest.mark.parametrize("part", range(8))
def test_tracker_and_oracle_agree(part: int) -> None:
    for seed in range(part, PROGRAMS, 8):
        made = generated(seed)
        for arguments in ((0, 1, 2), (5, 3, 4), (2, 2, 7)):
            found, required = tracked(made, arguments)
            wanted = expected(made, traced(made, arguments))
            assert found == wanted, "\n".join(made.lines)
            # Everything that happens is required.
            assert found.nodes <= required.nodes
            assert found.edges <= required.edges
            assert found.c_uses <= required.c_uses
            assert found.p_uses <= required.p_uses
