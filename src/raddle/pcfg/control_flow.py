"""Builds the control flow graph of a function or a module."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from raddle.pcfg.endpoints import literal
from raddle.pcfg.numbering import Function, Numbering, is_docstring, is_main_guard
from raddle.pcfg.unit import EXIT, Edge, Node, Outcome

Ends = list[tuple[int, str]]  # nodes whose successor is not known yet, and how they are left
Decision = Callable[[ast.If], bool | None]  # which branch of a statement a process always takes, if that is known


@dataclass
class _Loop:
    header: int
    breaks: Ends = field(default_factory=list)


@dataclass
class _Finally:
    """A `finally` block that encloses the current statement, with the jumps that pass through it."""

    jumps: dict[type[ast.stmt], Ends] = field(default_factory=dict)


class FlowBuilder:
    """Collects the nodes and the edges of one unit."""

    def __init__(self, numbering: Numbering, make: Callable[[int, ast.AST], Node], decide: Decision) -> None:
        self._numbering = numbering
        self._make = make
        self._decide = decide
        self.nodes: list[Node] = []
        self.edges: dict[Edge, None] = {}
        self.flows: dict[tuple[int, int], None] = {}
        self._around: list[_Loop | _Finally] = []

    def build(self, body: Sequence[ast.stmt], entry: Function | None) -> None:
        """Add the statements of a unit; `entry` is the function, or None for a module."""
        ends: Ends = []
        if entry is not None:
            ends = self._node(entry, ends, self._numbering.entry(entry))
        body = body[1:] if body and is_docstring(body[0]) else body
        self._connect(self._block(body, ends), EXIT)

    # -- nodes ----------------------------------------------------------------------------------------

    def _node(self, syntax: ast.AST, ends: Ends, number: int | None = None) -> Ends:
        """Add a node after `ends`; return its end. Without `number`, the node is that of a statement."""
        number = self._numbering.number(syntax) if number is None else number
        if number is None:
            return ends
        self.nodes.append(self._make(number, syntax))
        self._connect(ends, number)
        return [(number, Outcome.ALWAYS)]

    def _connect(self, ends: Ends, target: int) -> None:
        for source, outcome in ends:
            self.edges[Edge(source, target, outcome)] = None

    def _block(self, body: Sequence[ast.stmt], ends: Ends) -> Ends:
        for statement in body:
            ends = self._statement(statement, ends)
        return ends

    def _statement(self, statement: ast.stmt, ends: Ends) -> Ends:
        match statement:
            case ast.If():
                return self._if(statement, ends)
            case ast.While():
                return self._while(statement, ends)
            case ast.For() | ast.AsyncFor():
                return self._for(statement, ends)
            case ast.Try() | ast.TryStar():
                return self._try(statement, ends)
            case ast.Match():
                return self._match(statement, ends)
            case ast.With() | ast.AsyncWith():
                return self._block(statement.body, self._node(statement, ends))
            case ast.Break() | ast.Continue() | ast.Return():
                self._jump(type(statement), self._node(statement, ends))
                return []
            case ast.Raise():
                self._node(statement, ends)
                return []
        return self._node(statement, ends)

    # -- compound statements --------------------------------------------------------------------------

    def _if(self, statement: ast.If, ends: Ends) -> Ends:
        if is_main_guard(statement):
            return self._block(statement.body, ends)
        number = self._condition(statement, ends)
        taken = self._decide(statement)
        if taken is not None:
            outcome = Outcome.TRUE if taken else Outcome.FALSE
            return self._block(statement.body if taken else statement.orelse, [(number, outcome)])
        after_true = self._block(statement.body, [(number, Outcome.TRUE)])
        return after_true + self._block(statement.orelse, [(number, Outcome.FALSE)])

    def _condition(self, statement: ast.stmt, ends: Ends) -> int:
        ((number, _),) = self._node(statement, ends)
        return number

    def _while(self, statement: ast.While, ends: Ends) -> Ends:
        header = self._condition(statement, ends)
        loop = self._loop(header, statement.body)
        is_endless = isinstance(statement.test, ast.Constant) and bool(statement.test.value)
        after: Ends = [] if is_endless else [(header, Outcome.FALSE)]
        return self._block(statement.orelse, after) + loop.breaks

    def _for(self, statement: ast.For | ast.AsyncFor, ends: Ends) -> Ends:
        header = self._condition(statement, ends)
        loop = self._loop(header, statement.body)
        return self._block(statement.orelse, [(header, Outcome.FALSE)]) + loop.breaks

    def _loop(self, header: int, body: Sequence[ast.stmt]) -> _Loop:
        loop = _Loop(header)
        self._around.append(loop)
        self._connect(self._block(body, [(header, Outcome.TRUE)]), header)
        self._around.pop()
        return loop

    def _match(self, statement: ast.Match, ends: Ends) -> Ends:
        number = self._condition(statement, ends)
        after: Ends = []
        for case in statement.cases:
            # Every case is a way out of the subject, named by its position.
            line = self._numbering.number(case)
            after += self._block(case.body, self._node(case, [(number, f"case {line}")]))
        last = statement.cases[-1]
        always = last.guard is None and isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
        return after if always else [*after, (number, Outcome.FALSE)]

    def _try(self, statement: ast.Try | ast.TryStar, ends: Ends) -> Ends:
        around = _Finally()
        if statement.finalbody:
            self._around.append(around)
        first = len(self.nodes)
        after = self._block(statement.body, ends)
        inside = [node.number for node in self.nodes[first:]]
        after = self._block(statement.orelse, after)
        for handler in statement.handlers:
            number = self._numbering.number(handler)
            assert number is not None
            self.flows.update(dict.fromkeys((source, number) for source in inside))
            after += self._block(handler.body, self._node(handler, []))
        if not statement.finalbody:
            return after
        self._around.pop()
        entering = after + [end for jump in around.jumps.values() for end in jump]
        leaving = self._block(statement.finalbody, entering)
        for kind in around.jumps:
            self._jump(kind, leaving)
        return leaving if after or not around.jumps else []

    def _jump(self, kind: type[ast.stmt], ends: Ends) -> None:
        """Connect the ends of a `break`, `continue` or `return` with its target."""
        for around in reversed(self._around):
            if isinstance(around, _Finally):
                around.jumps.setdefault(kind, []).extend(ends)
                return
            if kind is ast.Break:
                around.breaks.extend(ends)
                return
            if kind is ast.Continue:
                self._connect(ends, around.header)
                return
        self._connect(ends, EXIT)


def rank_test(test: ast.expr, names: frozenset[str]) -> int | None:
    """Return k if the test is `rank == k`, for one of the names of the rank; None for other tests.

    >>> rank_test(ast.parse("comm.rank == 0", mode="eval").body, frozenset({"comm.rank"}))
    0
    """
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
        return None
    left, right = test.left, test.comparators[0]
    if ast.unparse(right) in names:
        left, right = right, left
    return literal(right) if ast.unparse(left) in names else None


def build_flow(
    numbering: Numbering,
    body: Sequence[ast.stmt],
    function: Function | None,
    decide: Decision,
    make: Callable[[int, ast.AST], Node],
) -> FlowBuilder:
    """Return the graph of a function or a module."""
    builder = FlowBuilder(numbering, make, decide)
    builder.build(body, function)
    return builder
