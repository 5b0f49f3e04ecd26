"""Rewrites expressions: every read of an attribute, a container or a shared name goes through a probe.

Nodes are visited in the order in which Python evaluates them, which the switch points of `SiteMaker` rest on.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from raddle.instrument.ignore import is_ignored
from raddle.instrument.model.evidence import makes_container
from raddle.instrument.nodes import (
    Place,
    content_of,
    dotted,
    is_pytests,
    is_super,
    load,
    place_of,
    probe,
    then,
)
from raddle.instrument.scopes import MODULE, Scope, Scopes
from raddle.instrument.sites import SiteMaker

# Built-in functions that look into their arguments, or at attributes of them.
OBSERVING = frozenset({
    "len", "list", "dict", "set", "frozenset", "frozendict", "tuple", "sorted", "sum", "min", "max", "any", "all",
    "bool", "iter", "next", "reversed", "enumerate", "zip", "map", "filter", "str", "repr", "print", "format",
    "getattr", "setattr", "delattr", "hasattr", "bytes", "bytearray",
})  # fmt: skip

OPENING = "open"  # it looks at the disk, or changes it

# Expressions that make a new object nobody else can hold, or one that never changes.
_FRESH = (
    ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.Compare, ast.BinOp, ast.UnaryOp,
)  # fmt: skip
_STORED = (ast.Name, ast.Attribute, ast.Subscript)  # values that sit in a variable
_COMBINING = (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)  # of two numbers, or of two containers


@dataclass(frozen=True, slots=True)
class Options:
    """What the rewriter is told besides the source."""

    ignored: frozenset[int]
    tokens: bool
    leaders: frozenset[ast.stmt] = frozenset()  # statements that a block's probe comes before


class Expressions:
    """Rewrites the expressions of one module."""

    def __init__(self, scopes: Scopes, maker: SiteMaker, options: Options) -> None:
        self.scopes = scopes
        self.scope = scopes.module
        self.maker = maker
        self.options = options
        self._handlers: dict[type[ast.AST], Callable[[Any], ast.expr]] = {
            ast.Attribute: self._attribute,
            ast.Await: self._suspension,
            ast.BinOp: self._bin_op,
            ast.BoolOp: self._bool_op,
            ast.Call: self._call,
            ast.Compare: self._compare,
            ast.Constant: lambda node: node,
            ast.Dict: self._dict,
            ast.DictComp: self._comprehension,
            ast.FormattedValue: self._formatted_value,
            ast.GeneratorExp: self._comprehension,
            ast.IfExp: self._if_exp,
            ast.Lambda: self._lambda,
            ast.ListComp: self._comprehension,
            ast.Name: self._name,
            ast.NamedExpr: self._named_expr,
            ast.SetComp: self._comprehension,
            ast.Starred: self._starred,
            ast.Subscript: self._subscript,
            ast.UnaryOp: self._unary_op,
            ast.Yield: self._suspension,
            ast.YieldFrom: self._yield_from,
        }

    # -- what the parts are built from ---------------------------------------------------------------

    def expr(self, node: ast.expr) -> ast.expr:
        """An expression, for its value."""
        if self.is_ignored(node):
            self.maker.open = True
            return node
        handler = self._handlers.get(type(node))
        return handler(node) if handler else self._children(node)

    def is_ignored(self, node: ast.expr | ast.stmt) -> bool:
        return is_ignored(node, self.options.ignored)

    def site(self, place: Place, kind: str, name: str) -> int:
        return self.maker.add(place, kind, name, function=self.scope.qualname)

    def content(self, node: ast.expr) -> ast.expr:
        """An expression whose value is about to be looked into."""
        if isinstance(node, _FRESH) or is_pytests(node) or self.is_ignored(node):
            return self.expr(node)
        value, place, name = self.receiver(node), place_of(node), content_of(node)
        if value is node:  # a local, say: if it holds no container, as most do, nothing is accessed here
            with self.maker.not_closing():
                return place.put(probe("content", value, self.site(place, "read", name)))
        return place.put(probe("content", value, self.site(place, "read", name)))

    def receiver(self, node: ast.expr) -> ast.expr:
        """An expression whose value's attribute or content is what matters."""
        with self.maker.not_closing():
            return self.expr(node)

    def test(self, node: ast.expr) -> ast.expr:
        """An expression, for its truth."""
        if isinstance(node, ast.BoolOp) and not self.is_ignored(node):
            return self._bool_op(node, last=self.test)
        if isinstance(node, ast.IfExp) and not self.is_ignored(node):
            return self._if_exp(node, branch=self.test)
        if isinstance(node, _STORED) and not (isinstance(node, ast.Name) and node.id.startswith("__")):
            return self.content(node)  # not `__debug__`: the compiler takes care of it
        return self.expr(node)

    def iterable(self, node: ast.expr) -> ast.expr:
        """What a loop runs over."""
        if isinstance(node, _FRESH) or self.is_ignored(node) or self._is_range(node):
            return self.expr(node)
        value = self.expr(node)
        self.maker.open = True  # the site comes again in each iteration, after a backward jump
        place = place_of(node)
        return place.put(probe("iterate", value, self.site(place, "read", content_of(node))))

    def sharing_owner(self, name: str) -> ast.expr | None:
        """Return the `owner` argument of `read_name` and its kin; None for a name that threads cannot share."""
        owner = self.scopes.sharing_owner(self.scope, self.scope.mangled(name))
        if owner is None:
            return None
        if owner.kind == MODULE:
            return probe("globals")
        return load(owner.token) if self.options.tokens else ast.Constant(owner.qualname)

    def written_name(self, name: str, value: ast.expr, place: Place) -> ast.expr:
        """The value about to be stored under a name."""
        owner = self.sharing_owner(name)
        if owner is None:
            return value
        number = self.site(place, "write", name)
        return place.put(probe("write_name", value, owner, self.scope.mangled(name), number))

    def key(self, node: ast.expr) -> ast.expr:
        """What stands between the brackets; a slice becomes the object it stands for."""
        if isinstance(node, ast.Slice):
            bounds = [
                ast.Constant(None) if bound is None else self.expr(bound)
                for bound in (node.lower, node.upper, node.step)
            ]
            return place_of(node).put(probe("slice", *bounds))
        if isinstance(node, ast.Tuple):
            node.elts = [self.key(element) for element in node.elts]
            return node
        return self.expr(node)

    def is_builtin(self, name: str) -> bool:
        """Is this certainly not the name of something else here?"""
        return not self.scopes.module.has_star_import and not self._is_bound(name)

    def _is_bound(self, name: str) -> bool:
        return any(name in scope.bindings for scope in self.scope.ancestors())

    @contextmanager
    def inside(self, node: ast.AST) -> Iterator[Scope]:
        """Rewrite code that runs in the scope a node opens; what is `open` around it comes back after."""
        outer, was_open = self.scope, self.maker.open
        self.scope, self.maker.open = self.scopes.by_node[node], True
        yield self.scope
        self.scope, self.maker.open = outer, was_open

    def defaults(self, arguments: ast.arguments) -> None:
        """Default values belong to the scope in which the function is made."""
        arguments.defaults = [self.expr(value) for value in arguments.defaults]
        arguments.kw_defaults = [value and self.expr(value) for value in arguments.kw_defaults]

    # -- attributes, items, names --------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> ast.expr:
        if is_pytests(node):
            return node
        value = self.receiver(node.value)
        if is_super(node.value):
            node.value = value
            return node
        place = place_of(node)
        number = self.site(place, "read", node.attr)
        return place.put(probe("read", value, self.scope.mangled(node.attr), number))

    def _subscript(self, node: ast.Subscript) -> ast.expr:
        if is_pytests(node.value):
            return self._children(node)
        value, key = self.receiver(node.value), self.key(node.slice)
        place = place_of(node)
        return place.put(probe("getitem", value, key, self.site(place, "read", content_of(node.value))))

    def _name(self, node: ast.Name) -> ast.expr:
        owner = self.sharing_owner(node.id)
        if owner is None:
            return node
        place = place_of(node)
        number = self.site(place, "read", node.id)
        return place.put(then(probe("read_name", owner, self.scope.mangled(node.id), number), node))

    def _named_expr(self, node: ast.NamedExpr) -> ast.expr:
        node.value = self.written_name(node.target.id, self.expr(node.value), place_of(node))
        return node

    # -- calls ---------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> ast.expr:
        place, number = place_of(node), None
        if is_pytests(node.func):
            self.maker.open = True
            return node
        if isinstance(node.func, ast.Attribute):
            node.func, number = self._method(node.func)
        elif isinstance(node.func, ast.Name) and self._looks_into_arguments(node):
            function_place = place_of(node.func)
            number = self.site(function_place, "call", node.func.id)
            node.func = function_place.put(probe("function", node.func, number))
        elif self._may_call_anything(node.func):
            function_place, name = place_of(node.func), dotted(node.func)
            with self.maker.not_closing():  # most often it is code with probes of its own
                called = self.expr(node.func)
                number = self.site(function_place, "call", name)
            node.func = function_place.put(probe("function", called, number))
        else:
            node.func = self.expr(node.func)
        node.args = [self.expr(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expr(keyword.value) if keyword.arg else self.content(keyword.value)
        if number is not None:
            self.maker.comes_again(number)
        self.maker.open = True
        node.lineno, node.col_offset = place.line, place.column
        return node

    def _method(self, node: ast.Attribute) -> tuple[ast.expr, int]:
        value, place = self.receiver(node.value), place_of(node)
        number = self.site(place, "call", dotted(node))
        return place.put(probe("method", value, self.scope.mangled(node.attr), number)), number

    def _looks_into_arguments(self, node: ast.Call) -> bool:
        """A built-in function that does, or one from elsewhere, which may."""
        assert isinstance(node.func, ast.Name)
        if not node.args and not node.keywords:
            return False
        name = self.scope.mangled(node.func.id)
        if name in self.scope.owner(name).imported:
            return self.sharing_owner(name) is None
        if self._is_bound(name):
            return False
        return name in OBSERVING or name == OPENING or self.scopes.module.has_star_import

    def _may_call_anything(self, node: ast.expr) -> bool:
        """Whether a variable or an expression is called, or a class whose constructor, if any, is not defined here."""
        if not isinstance(node, ast.Name):
            return not isinstance(node, ast.Lambda) and not is_super(node) and not self.is_ignored(node)
        name = self.scope.mangled(node.id)
        owner = self.scope.owner(name)
        if name in owner.imported or (self.scopes.module.has_star_import and not self._is_bound(name)):
            return _is_like_class(name)
        return not owner.classes.get(name, True) or owner.may_hold_anything(name)

    def _is_range(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "range"
            and self.is_builtin("range")
        )

    def _starred(self, node: ast.Starred) -> ast.expr:
        node.value = self.content(node.value)
        return node

    def _dict(self, node: ast.Dict) -> ast.expr:
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            if key is None:
                node.values[index] = self.content(value)
            else:
                node.keys[index] = self.expr(key)
                node.values[index] = self.expr(value)
        return node

    def _formatted_value(self, node: ast.FormattedValue) -> ast.expr:
        node.value = self.content(node.value)
        if node.format_spec is not None:
            node.format_spec = self.expr(node.format_spec)
        return node

    # -- operators, comparisons and truth ------------------------------------------------------------

    def _bin_op(self, node: ast.BinOp) -> ast.expr:
        left, right = node.left, node.right
        if isinstance(node.op, _COMBINING):
            node.left = self._operand(left, looked_into=not _is_plain(right))
            node.right = self._operand(right, looked_into=not _is_plain(left))
        elif isinstance(node.op, ast.Mult):  # a container any number of times
            node.left = self._operand(left, looked_into=not _is_fraction(right))
            node.right = self._operand(right, looked_into=not _is_fraction(left))
        elif isinstance(node.op, ast.Mod) and _is_text(left):
            node.left = self.expr(left)
            if isinstance(right, ast.Tuple) and not self.is_ignored(right):
                right.elts = [self._operand(value, looked_into=True) for value in right.elts]
            else:
                node.right = self._operand(right, looked_into=True)
        else:
            node.left, node.right = self.expr(left), self.expr(right)
        return node

    def _operand(self, node: ast.expr, *, looked_into: bool) -> ast.expr:
        return self.content(node) if looked_into and _may_share_content(node) else self.expr(node)

    def _compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self._membership(node)
        operands = [node.left, *node.comparators]
        looked_into = [False] * len(operands)
        for index, operation in enumerate(node.ops):
            left, right = operands[index], operands[index + 1]
            if isinstance(operation, (ast.In, ast.NotIn)):
                looked_into[index + 1] = True
            elif isinstance(operation, (ast.Eq, ast.NotEq)):
                looked_into[index] |= _may_share_content(left) and not _is_plain(right)
                looked_into[index + 1] |= _may_share_content(right) and not _is_plain(left)
            elif not isinstance(operation, (ast.Is, ast.IsNot)):
                looked_into[index] |= _may_be_ordered(left, right)
                looked_into[index + 1] |= _may_be_ordered(right, left)
        rewritten: list[ast.expr] = []
        was_open = False
        for operand, look in zip(operands, looked_into, strict=True):
            if isinstance(operand, ast.Tuple) and not self.is_ignored(operand):  # what is in it is compared, too
                operand.elts = [self._operand(value, looked_into=True) for value in operand.elts]
                rewritten.append(operand)
            else:
                rewritten.append(self.content(operand) if look else self.expr(operand))
            was_open = was_open or (self.maker.open and len(rewritten) > 1)
        self.maker.open = was_open  # `a < b < c` may stop after b
        node.left, *node.comparators = rewritten
        return node

    def _membership(self, node: ast.Compare) -> ast.expr:
        container = node.comparators[0]
        key, value = self.expr(node.left), self.receiver(container)
        if isinstance(container, _FRESH) or is_pytests(container):
            node.left, node.comparators = key, [value]
            return node
        place = place_of(node)
        found: ast.expr = probe("contains", key, value, self.site(place, "read", content_of(container)))
        return place.put(ast.UnaryOp(ast.Not(), found) if isinstance(node.ops[0], ast.NotIn) else found)

    def _unary_op(self, node: ast.UnaryOp) -> ast.expr:
        node.operand = self.test(node.operand) if isinstance(node.op, ast.Not) else self.expr(node.operand)
        return node

    def _bool_op(self, node: ast.BoolOp, last: Callable[[ast.expr], ast.expr] | None = None) -> ast.expr:
        may_stop_open = False  # each operand may be the last one evaluated
        for index, value in enumerate(node.values):
            is_last = index == len(node.values) - 1
            node.values[index] = (last or self.expr)(value) if is_last else self.test(value)
            may_stop_open |= self.maker.open
        self.maker.open = may_stop_open
        return node

    def _if_exp(self, node: ast.IfExp, branch: Callable[[ast.expr], ast.expr] | None = None) -> ast.expr:
        node.test = self.test(node.test)
        before = self.maker.open
        node.body = (branch or self.expr)(node.body)
        after_body, self.maker.open = self.maker.open, before
        node.orelse = (branch or self.expr)(node.orelse)
        self.maker.open |= after_body
        return node

    # -- scopes and suspensions ----------------------------------------------------------------------

    def _lambda(self, node: ast.Lambda) -> ast.expr:
        self.defaults(node.args)
        with self.inside(node):
            node.body = self.expr(node.body)
        return node

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.expr:
        first = node.generators[0]
        self._source(first)
        with self.inside(node):
            for generator in node.generators:
                if generator is not first:
                    self._source(generator)
                self.maker.open = True
                generator.ifs = [self.test(condition) for condition in generator.ifs]
            if isinstance(node, ast.DictComp):
                self._pair(node)
            elif isinstance(node, ast.GeneratorExp) and isinstance(node.elt, ast.Starred):
                node.elt.value = self.iterable(node.elt.value)  # `(*x for x in y)` yields from x, item by item
            else:
                node.elt = self.expr(node.elt)
        self.maker.open = True
        return node

    def _pair(self, node: ast.DictComp) -> None:
        value: ast.expr | None = node.value
        if value is None:  # `{**x for x in y}`, since 3.15
            node.key = self.content(node.key)
        else:
            node.key, node.value = self.expr(node.key), self.expr(value)

    def _source(self, generator: ast.comprehension) -> None:
        rewrite = self.expr if generator.is_async else self.iterable
        generator.iter = rewrite(generator.iter)

    def _suspension(self, node: ast.Await | ast.Yield) -> ast.expr:
        if node.value is not None:
            node.value = self.expr(node.value)
        self.maker.open = True
        return node

    def _yield_from(self, node: ast.YieldFrom) -> ast.expr:
        node.value = self.iterable(node.value)
        self.maker.open = True
        return node

    def _children(self, node: ast.expr) -> ast.expr:
        """Any other expression: its parts, in the order of the fields, which is that of evaluation."""
        for name, old in ast.iter_fields(node):
            if isinstance(old, ast.expr):
                setattr(node, name, self.expr(old))
            elif isinstance(old, list):
                old[:] = [self.expr(item) if isinstance(item, ast.expr) else item for item in old]
        return node


def _is_like_class(name: str) -> bool:
    """Whether an imported name is written like that of a class; a probe at every call of a function would be slow."""
    return name.lstrip("_")[:1].isupper()


def _may_share_content(node: ast.expr) -> bool:
    return isinstance(node, (*_STORED, ast.Call))


def _may_be_ordered(node: ast.expr, other: ast.expr) -> bool:
    """By `<` and the like: names are mostly those of numbers, unless it is seen that they are not."""
    if isinstance(node, ast.Name):
        return makes_container(other)
    return _may_share_content(node) and not _is_plain(other)


def _is_fraction(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_plain(node: ast.expr) -> bool:
    """A number, text, None...: comparing with it cannot look into a container for long."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))
