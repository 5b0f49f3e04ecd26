"""Defects in statements and expressions: those that have nothing to do with messages."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from raddle.messages.defects import Defect
from raddle.messages.program_text import Edit, ProgramText

Operator = Callable[[ProgramText], Iterator[Edit]]

_OTHER_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*",
                                                  ast.Div: "*", ast.Mod: "//"}  # fmt: skip
_SYMBOLS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//",
                                           ast.Div: "/", ast.Mod: "%"}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<=", ">"), ast.LtE: ("<", ">="), ast.Gt: (">=", "<"), ast.GtE: (">", "<="),
    ast.Eq: ("!=", "<="), ast.NotEq: ("==", "<"),
}  # fmt: skip
_KEPT = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Return, ast.Pass, ast.AsyncFunctionDef)


def structure(text: ProgramText) -> Iterator[Edit]:
    """Replace `while` by `if` and the reverse, change the bounds of loops, shorten bodies, swap branches."""
    for node in text.statements():
        if isinstance(node, ast.While) and not node.orelse:
            yield text.replace_statement(node, ast.If(node.test, _without_jumps(node.body), []))
        if isinstance(node, ast.If) and not node.orelse:
            yield text.replace_statement(node, ast.While(node.test, [*node.body, ast.Break()], []))
        if isinstance(node, ast.If) and node.orelse:
            yield text.replace_statement(node, ast.If(node.test, node.orelse, node.body))
        if isinstance(node, (ast.For, ast.While)) and len(node.body) > 1:
            shorter = copy.copy(node)
            shorter.body = node.body[:-1]
            yield text.replace_statement(node, shorter)
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and _is_range(node.iter):
            yield from _other_bounds(text, node.iter)


def _without_jumps(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return a loop's body for use in an `if`, without the `break` and `continue` of the loop."""
    return [one for one in body if not isinstance(one, (ast.Break, ast.Continue))] or [ast.Pass()]


def _is_range(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "range" and bool(node.args)


def _other_bounds(text: ProgramText, call: ast.Call) -> Iterator[Edit]:
    end = call.args[0] if len(call.args) == 1 else call.args[1]
    yield text.replace(end, f"{text.text(end)} - 1")
    if len(call.args) == 1:
        yield text.replace(end, f"1, {text.text(end)}")
    else:
        yield text.replace(call.args[0], f"{text.text(call.args[0])} + 1")


def array_size(text: ProgramText) -> Iterator[Edit]:
    """Make arrays and slices one element longer or shorter."""
    for node in ast.walk(text.tree):
        for size in _sizes(node):
            for sign in "+-":
                yield text.replace(size, f"({text.text(size)} {sign} 1)")


def _sizes(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, (ast.List, ast.Tuple)):
        yield node.right
    elif isinstance(node, ast.Slice):
        yield from (bound for bound in (node.lower, node.upper) if bound is not None)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        if node.func.attr in ("zeros", "ones", "empty", "arange"):
            yield node.args[0]
    elif isinstance(node, ast.comprehension) and isinstance(node.iter, ast.Call) and _is_range(node.iter):
        yield node.iter.args[-1]


def initialization(text: ProgramText) -> Iterator[Edit]:
    """Drop assignments of constants and of empty containers."""
    for node in text.statements():
        if isinstance(node, ast.Assign) and _is_initial(node.value):
            yield text.replace(node, "pass")


def _is_initial(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return isinstance(value.left, ast.List)
    if isinstance(value, (ast.List, ast.Tuple)):
        return all(isinstance(one, ast.Constant) for one in value.elts)
    return isinstance(value, (ast.Constant, ast.Dict, ast.Set)) and not getattr(value, "keys", None)


def operators(text: ProgramText) -> Iterator[Edit]:
    """Change the arithmetic operators in assignments."""
    for node in text.statements():
        if isinstance(node, ast.AugAssign) and type(node.op) in _OTHER_OPERATORS:
            symbol = _OTHER_OPERATORS[type(node.op)]
            yield text.replace(node, f"{text.text(node.target)} {symbol}= {text.text(node.value)}")
        elif isinstance(node, ast.Assign):
            for inner in ast.walk(node.value):
                if isinstance(inner, ast.BinOp) and type(inner.op) in _OTHER_OPERATORS:
                    symbol = _OTHER_OPERATORS[type(inner.op)]
                    yield text.replace(inner, f"{text.text(inner.left)} {symbol} {text.text(inner.right)}")


def predicates(text: ProgramText) -> Iterator[Edit]:
    """Change comparisons, `and`, `or` and `not` in conditions."""
    for node in ast.walk(text.tree):
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            yield from _other_predicates(text, node.test)
            yield text.replace(node.test, f"not ({text.text(node.test)})")


def _other_predicates(text: ProgramText, test: ast.expr) -> Iterator[Edit]:
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            for symbol in _COMPARISONS.get(type(node.ops[0]), ()):
                yield text.replace(node, f"{text.text(node.left)} {symbol} {text.text(node.comparators[0])}")
        elif isinstance(node, ast.BoolOp):
            symbol = "or" if isinstance(node.op, ast.And) else "and"
            yield text.replace(node, f" {symbol} ".join(text.text(value) for value in node.values))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield text.replace(node, text.text(node.operand))


def missing_statements(text: ProgramText) -> Iterator[Edit]:
    """Drop one statement."""
    for node in text.statements():
        simple = isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr, ast.Break, ast.Continue))
        if simple and not isinstance(node, _KEPT) and not _is_docstring(node):
            yield text.replace(node, "pass")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def assignments(text: ProgramText) -> Iterator[Edit]:
    """Assign another variable, 0 or 1."""
    for node in text.statements():
        if isinstance(node, ast.Assign):
            others = [name for name in text.names_beside(node) if name != text.text(node.value)]
            targets = {text.text(target) for target in node.targets}
            for value in ["0", "1", *(name for name in others if name not in targets)]:
                yield text.replace(node.value, value)


STATEMENT_OPERATORS: dict[Defect, Operator] = {
    Defect.STRUCTURE: structure,
    Defect.ARRAY_SIZE: array_size,
    Defect.INITIALIZATION: initialization,
    Defect.OPERATOR: operators,
    Defect.PREDICATE: predicates,
    Defect.MISSING_STATEMENT: missing_statements,
    Defect.ASSIGNMENT: assignments,
}
