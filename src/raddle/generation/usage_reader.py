"""Reads the source of a function, and records how it uses its parameters and the attributes of `self`.

Reading ignores the control flow: a variable that holds a parameter counts as the parameter everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from raddle.generation.usage import Fact, Forward, Path, Use

MAX_PATH = 5  # longer paths are not followed

_COPIES = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "deque", "collections.deque"})
_CONSUMERS = frozenset({"enumerate", "zip", "map", "filter", "sum", "any", "all", "min", "max", "next", "join"})


def uses_in(function: ast.FunctionDef, sources: dict[str, Sequence[Path]]) -> list[Fact]:
    """Return how a function uses values; the first step of the path of each fact is the name of the source.

    Args:
        function: The syntax tree of the function.
        sources: Maps parameters ("key") and attributes ("self.items") to the paths of the values that they hold.

    >>> tree = ast.parse("def add(self, handler): handler(1)").body[0]
    >>> uses_in(tree, {"handler": [("handler",)]})
    [Fact(path=('handler',), use=<Use.CALLED: 'called'>, detail=None)]
    """
    reader = _Reader(sources)
    for statement in function.body:
        reader.visit(statement)
    return list(dict.fromkeys(reader.facts))


class _Reader(ast.NodeVisitor):
    """Records the uses of values in one function."""

    def __init__(self, sources: dict[str, Sequence[Path]]) -> None:
        self.facts: list[Fact] = []
        self._sources = {name: tuple(paths) for name, paths in sources.items()}
        self._known: dict[int, tuple[Path, ...]] = {}  # maps the id of a visited node to the paths of its value

    def visit(self, node: ast.AST) -> None:
        super().visit(node)

    def _add(self, paths: Iterable[Path], use: Use, detail: Any = None) -> None:
        self.facts += [Fact(path, use, detail) for path in paths]

    # -- values -----------------------------------------------------------------------------------------

    def _paths(self, node: ast.expr | None) -> tuple[Path, ...]:
        """Return the paths of the value of an expression, which must have been visited if it is compound."""
        if node is None:
            return ()
        if id(node) not in self._known:
            self._known[id(node)] = tuple(path for path in self._compute(node) if len(path) <= MAX_PATH)
        return self._known[id(node)]

    def _compute(self, node: ast.expr) -> tuple[Path, ...]:
        match node:
            case ast.Name(id=name):
                return self._sources.get(name, ())
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self._sources.get(f"self.{name}", ())
            case ast.Attribute(value=value, attr=name):
                return _then(self._paths(value), f".{name}")
            case ast.Subscript(value=value):
                return _then(self._paths(value), "item")
            case ast.Call(func=function, args=[first, *_]) if _dotted(function) in _COPIES:
                return self._paths(first)
            case ast.Call(func=function):
                return _then(self._paths(function), "result")
            case ast.BoolOp(values=values):
                return tuple(path for value in values for path in self._paths(value))
            case ast.IfExp(body=one, orelse=other):
                return (*self._paths(one), *self._paths(other))
            case ast.NamedExpr(value=value) | ast.Starred(value=value):
                return self._paths(value)
        return ()

    def _bind(self, target: ast.expr, paths: tuple[Path, ...]) -> None:
        """Assign a value to a target."""
        if not paths:
            return
        match target:
            case ast.Name(id=name):
                self._hold(name, paths)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                self._add(paths, Use.STORED, name)
                self._hold(f"self.{name}", paths)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if not any(isinstance(part, ast.Starred) for part in parts):
                    self._add(paths, Use.UNPACKED, len(parts))
                for number, part in enumerate(parts):
                    self._bind(part, _then(paths, str(number)))

    def _hold(self, name: str, paths: tuple[Path, ...]) -> None:
        self._sources[name] = tuple(dict.fromkeys((*self._sources.get(name, ()), *paths)))

    # -- statements -------------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)
            self._bind(target, self._paths(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._bind(node.target, self._paths(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        self._add(self._paths(node.value), Use.ARITHMETIC)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._bind(node.target, self._paths(node.value))

    def visit_For(self, node: ast.For) -> None:
        self._loop(node.iter, node.target)
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def _loop(self, iterable: ast.expr, target: ast.expr) -> None:
        self.visit(iterable)
        paths, bound = self._paths(iterable), target
        match iterable:
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]) if isinstance(target, ast.Tuple):
                paths, bound = self._paths(inner), target.elts[-1]
            case ast.Call(func=ast.Attribute(value=mapping, attr="items")) if isinstance(target, ast.Tuple):
                self._add(self._paths(mapping), Use.MAPPING)
                paths, bound = self._paths(mapping), target.elts[-1]
        self._add(paths, Use.ITERATED)
        self._bind(bound, _then(paths, "item"))

    def visit_If(self, node: ast.If) -> None:
        self.generic_visit(node)
        self._test(node.test)

    def visit_While(self, node: ast.While) -> None:
        self.generic_visit(node)
        self._test(node.test)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.generic_visit(node)
        self._test(node.test)

    def _test(self, condition: ast.expr) -> None:
        """Record which values a condition tests for truth."""
        match condition:
            case ast.BoolOp(values=values):
                for value in values:
                    self._test(value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._test(operand)
            case ast.Name() | ast.Attribute():
                self._add(self._paths(condition), Use.CONDITION)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            self._add(self._paths(item.context_expr), Use.CONTEXT)
        for statement in node.body:
            self.visit(statement)

    def visit_Raise(self, node: ast.Raise) -> None:
        self.generic_visit(node)
        self._add(self._paths(node.exc), Use.RAISED)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.generic_visit(node)
        self._add(self._paths(node.value), Use.ITERATED)

    # -- expressions ------------------------------------------------------------------------------------

    def _comprehension(self, node: Any) -> None:
        for generator in node.generators:
            self._loop(generator.iter, generator.target)
            for condition in generator.ifs:
                self.visit(condition)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.generic_visit(node)
        self._add(self._paths(node.value), Use.ATTRIBUTE, node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.generic_visit(node)
        constant = node.slice.value if isinstance(node.slice, ast.Constant) else None
        self._add(self._paths(node.value), Use.INDEXED, constant)
        self._add(self._paths(node.slice), Use.KEY)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        if not any(map(_is_text, (node.left, node.right))):
            self._add((*self._paths(node.left), *self._paths(node.right)), Use.ARITHMETIC)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            self._add(self._paths(node.operand), Use.ARITHMETIC)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
            if isinstance(operator, (ast.In, ast.NotIn)):
                self._add(self._paths(left), Use.KEY)
                self._add(self._paths(right), Use.CONTAINER)
                for constant in _constants(right):
                    self._add(self._paths(left), Use.COMPARED, constant)
                for name in _constant_names(right):
                    self._add(self._paths(left), Use.NAMED, name)
                continue
            for one, other in ((left, right), (right, left)):
                if isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
                    self._add(self._paths(one), Use.ORDERED)
                for constant in _constants(other):
                    self._add(self._paths(one), Use.NONE if constant is None else Use.COMPARED, constant)
                for name in _constant_names(other):
                    self._add(self._paths(one), Use.NAMED, name)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        name = _dotted(node.func)
        self._add(self._paths(node.func), Use.CALLED)
        for keyword in node.keywords:
            if keyword.arg is not None:
                self._add(self._paths(node.func), Use.KEYWORD, keyword.arg)
        if name in ("isinstance", "issubclass") and len(node.args) == 2:
            classes = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
            for cls in classes if name == "isinstance" else ():
                self._add(self._paths(node.args[0]), Use.INSTANCE, _dotted(cls))
            if name == "issubclass":
                self._add(self._paths(node.args[0]), Use.SUBCLASS)
            return
        for position, argument in enumerate(node.args):
            paths = self._paths(argument)
            if isinstance(argument, ast.Starred) or name in _COPIES or name.rpartition(".")[2] in _CONSUMERS:
                self._add(paths, Use.ITERATED)
            else:
                self._add(paths, Use.PASSED, name)
                self._add(paths, Use.FORWARDED, Forward(name, position))
        for keyword in node.keywords:
            paths = self._paths(keyword.value)
            if keyword.arg is None:
                self._add(paths, Use.MAPPING)
            else:
                self._add(paths, Use.PASSED, name)
                self._add(paths, Use.FORWARDED, Forward(name, -1, keyword.arg))


def _then(paths: Iterable[Path], step: str) -> tuple[Path, ...]:
    return tuple((*path, step) for path in paths)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def _constants(node: ast.expr) -> list[Any]:
    match node:
        case ast.Constant(value=value):
            return [value]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return [-value]
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return [constant for part in parts for constant in _constants(part)]
    return []


def _constant_names(node: ast.expr) -> list[str]:
    """Return the names in an expression that look like those of constants."""
    match node:
        case ast.Name() | ast.Attribute():
            name = _dotted(node)
            return [name] if name.rpartition(".")[2].isupper() else []
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return [name for part in parts for name in _constant_names(part)]
    return []


def _dotted(node: ast.expr) -> str:
    """Return the name that an expression spells, such as "os.path.join" or "super().put"; "" for other expressions."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{_dotted(value)}.{name}"
        case ast.Call(func=ast.Name(id="super")):
            return "super()"
        case ast.Subscript(value=value):
            return _dotted(value)
    return ""
