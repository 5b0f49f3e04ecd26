"""Rewrites expressions: every read of an attribute, a container or a shared name goes through a probe.

Nodes are visited in the order in which Python evaluates them, because `SiteMaker.may_switch` depends on that order.
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
    in_sequence,
    is_from_pytest,
    is_super,
    load,
    place_of,
    probe,
)
from raddle.instrument.scopes import MODULE, Scope, Scopes
from raddle.instrument.sites import SiteMaker

# Built-in functions that access the content or the attributes of their arguments.
OBSERVING = frozenset({
    "len", "list", "dict", "set", "frozenset", "frozendict", "tuple", "sorted", "sum", "min", "max", "any", "all",
    "bool", "iter", "next", "reversed", "enumerate", "zip", "map", "filter", "str", "repr", "print", "format",
    "getattr", "setattr", "delattr", "hasattr", "bytes", "bytearray",
})  # fmt: skip

OPENING = "open"  # a built-in function that reads or changes files

# Expressions whose value is immutable, or a new object that no other thread can hold.
_FRESH = (
    ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.Compare, ast.BinOp, ast.UnaryOp,
)  # fmt: skip
_VARIABLES = (ast.Name, ast.Attribute, ast.Subscript)  # expressions that read a variable
_COMBINING = (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)  # operators on two numbers or two containers


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the rewriter; see `rewrite`."""

    ignored: frozenset[int]  # lines with `# raddle: ignore`
    tokens: bool  # True if the rewriter may add free variables to functions
    leaders: frozenset[ast.stmt] = frozenset()  # statements that get the probe of a basic block


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

    # -- building blocks -----------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression that is evaluated for its value."""
        if self.is_ignored(node):
            self.maker.may_switch = True
            return node
        handler = self._handlers.get(type(node))
        return handler(node) if handler else self._children(node)

    def is_ignored(self, node: ast.expr | ast.stmt) -> bool:
        return is_ignored(node, self.options.ignored)

    def site(self, place: Place, kind: str, name: str) -> int:
        return self.maker.add(place, kind, name, function=self.scope.qualname)

    def content(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression whose value may be a container that is about to be read."""
        if isinstance(node, _FRESH) or is_from_pytest(node) or self.is_ignored(node):
            return self.expr(node)
        value, place, name = self.receiver(node), place_of(node), content_of(node)
        if value is node:  # for example a local; most locals hold no container, so this site often accesses nothing
            with self.maker.keeping_may_switch():
                return place.locate(probe("content", value, self.site(place, "read", name)))
        return place.locate(probe("content", value, self.site(place, "read", name)))

    def receiver(self, node: ast.expr) -> ast.expr:
        """Rewrite the object expression of an access, such as `a.b` in `a.b.c` or `a.b[0]`."""
        return self.expr(node)

    def test(self, node: ast.expr) -> ast.expr:
        """Rewrite an expression that is evaluated for its truth value."""
        if isinstance(node, ast.BoolOp) and not self.is_ignored(node):
            return self._bool_op(node, last=self.test)
        if isinstance(node, ast.IfExp) and not self.is_ignored(node):
            return self._if_exp(node, branch=self.test)
        if isinstance(node, _VARIABLES) and not (isinstance(node, ast.Name) and node.id.startswith("__")):
            return self.content(node)  # `__debug__` is excluded, because the compiler replaces it with a constant
        return self.expr(node)

    def iterable(self, node: ast.expr) -> ast.expr:
        """Rewrite the iterable of a loop."""
        if isinstance(node, _FRESH) or self.is_ignored(node) or self._is_range(node):
            return self.expr(node)
        value = self.expr(node)
        self.maker.may_switch = True  # the site runs again in each iteration, after a backward jump
        place = place_of(node)
        return place.locate(probe("iterate", value, self.site(place, "read", content_of(node))))

    def sharing_owner(self, name: str) -> ast.expr | None:
        """Return the `owner` argument for a probe of this name; None if threads cannot share the name."""
        owner = self.scopes.sharing_owner(self.scope, self.scope.mangled(name))
        if owner is None:
            return None
        if owner.kind == MODULE:
            return probe("globals")
        return load(owner.token) if self.options.tokens else ast.Constant(owner.qualname)

    def name_write(self, name: str, value: ast.expr, place: Place) -> ast.expr:
        """Return the value to store under a name, wrapped in a probe if threads can share the name."""
        owner = self.sharing_owner(name)
        if owner is None:
            return value
        number = self.site(place, "write", name)
        return place.locate(probe("write_name", value, owner, self.scope.mangled(name), number))

    def key(self, node: ast.expr) -> ast.expr:
        """Rewrite the key of a subscript; a slice becomes a slice object."""
        if isinstance(node, ast.Slice):
            bounds = [
                ast.Constant(None) if bound is None else self.expr(bound)
                for bound in (node.lower, node.upper, node.step)
            ]
            return place_of(node).locate(probe("slice", *bounds))
        if isinstance(node, ast.Tuple):
            node.elts = [self.key(element) for element in node.elts]
            return node
        return self.expr(node)

    def is_builtin(self, name: str) -> bool:
        """Return whether a name is certain to refer to a builtin here."""
        return not self.scopes.module.has_star_import and not self._is_bound(name)

    def _is_bound(self, name: str) -> bool:
        return any(name in scope.bindings for scope in self.scope.ancestors())

    @contextmanager
    def inside(self, node: ast.AST) -> Iterator[Scope]:
        """Enter the scope that a node creates, and restore the outer scope and `may_switch` afterwards."""
        outer, could_switch = self.scope, self.maker.may_switch
        self.scope, self.maker.may_switch = self.scopes.by_node[node], True
        yield self.scope
        self.scope, self.maker.may_switch = outer, could_switch

    def defaults(self, arguments: ast.arguments) -> None:
        """Rewrite default values, which are evaluated in the scope where the function is created."""
        arguments.defaults = [self.expr(value) for value in arguments.defaults]
        arguments.kw_defaults = [value and self.expr(value) for value in arguments.kw_defaults]

    # -- attributes, items, names --------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> ast.expr:
        if is_from_pytest(node):
            return node
        value = self.receiver(node.value)
        if is_super(node.value):
            node.value = value
            return node
        place = place_of(node)
        number = self.site(place, "read", node.attr)
        return place.locate(probe("read", value, self.scope.mangled(node.attr), number))

    def _subscript(self, node: ast.Subscript) -> ast.expr:
        if is_from_pytest(node.value):
            return self._children(node)
        value, key = self.receiver(node.value), self.key(node.slice)
        place = place_of(node)
        return place.locate(probe("getitem", value, key, self.site(place, "read", content_of(node.value))))

    def _name(self, node: ast.Name) -> ast.expr:
        owner = self.sharing_owner(node.id)
        if owner is None:
            return node
        place = place_of(node)
        number = self.site(place, "read", node.id)
        return place.locate(in_sequence(probe("read_name", owner, self.scope.mangled(node.id), number), node))

    def _named_expr(self, node: ast.NamedExpr) -> ast.expr:
        node.value = self.name_write(node.target.id, self.expr(node.value), place_of(node))
        return node

    # -- calls ---------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> ast.expr:
        place, number = place_of(node), None
        if is_from_pytest(node.func):
            self.maker.may_switch = True
            return node
        if isinstance(node.func, ast.Attribute):
            node.func, number = self._method(node.func)
        elif isinstance(node.func, ast.Name) and self._inspects_arguments(node):
            function_place = place_of(node.func)
            number = self.site(function_place, "call", node.func.id)
            node.func = function_place.locate(probe("function", node.func, number))
        elif self._may_call_unprobed(node.func):
            function_place, name = place_of(node.func), dotted(node.func)
            with self.maker.keeping_may_switch():  # most callees have probes, so this site often accesses nothing
                called = self.expr(node.func)
                number = self.site(function_place, "call", name)
            node.func = function_place.locate(probe("function", called, number))
        else:
            node.func = self.expr(node.func)
        node.args = [self.expr(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.expr(keyword.value) if keyword.arg else self.content(keyword.value)
        if number is not None:
            self.maker.mark_effect(number)
        self.maker.may_switch = True
        node.lineno, node.col_offset = place.line, place.column
        return node

    def _method(self, node: ast.Attribute) -> tuple[ast.expr, int]:
        value, place = self.receiver(node.value), place_of(node)
        number = self.site(place, "call", dotted(node))
        return place.locate(probe("method", value, self.scope.mangled(node.attr), number)), number

    def _inspects_arguments(self, node: ast.Call) -> bool:
        """Return whether the callee may read its arguments, as some builtins and imported functions do."""
        assert isinstance(node.func, ast.Name)
        if not node.args and not node.keywords:
            return False
        name = self.scope.mangled(node.func.id)
        if name in self.scope.owner(name).imported:
            return self.sharing_owner(name) is None
        if self._is_bound(name):
            return False
        return name in OBSERVING or name == OPENING or self.scopes.module.has_star_import

    def _may_call_unprobed(self, node: ast.expr) -> bool:
        """Return whether the callee may lack probes.

        This is possible if the callee is a variable, or a class without a constructor in this source.
        """
        if not isinstance(node, ast.Name):
            return not isinstance(node, ast.Lambda) and not is_super(node) and not self.is_ignored(node)
        name = self.scope.mangled(node.id)
        owner = self.scope.owner(name)
        if name in owner.imported or (self.scopes.module.has_star_import and not self._is_bound(name)):
            return _is_like_class(name)
        return not owner.classes.get(name, True) or owner.may_be_rebound(name)

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
            node.left = self._operand(left, inspected=not _is_constant(right))
            node.right = self._operand(right, inspected=not _is_constant(left))
        elif isinstance(node.op, ast.Mult):  # one operand may be a container that is repeated
            node.left = self._operand(left, inspected=not _is_float(right))
            node.right = self._operand(right, inspected=not _is_float(left))
        elif isinstance(node.op, ast.Mod) and _is_string(left):
            node.left = self.expr(left)
            if isinstance(right, ast.Tuple) and not self.is_ignored(right):
                right.elts = [self._operand(value, inspected=True) for value in right.elts]
            else:
                node.right = self._operand(right, inspected=True)
        else:
            node.left, node.right = self.expr(left), self.expr(right)
        return node

    def _operand(self, node: ast.expr, *, inspected: bool) -> ast.expr:
        return self.content(node) if inspected and _may_share_content(node) else self.expr(node)

    def _compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self._membership(node)
        operands = [node.left, *node.comparators]
        inspected = [False] * len(operands)
        for index, operation in enumerate(node.ops):
            left, right = operands[index], operands[index + 1]
            if isinstance(operation, (ast.In, ast.NotIn)):
                inspected[index + 1] = True
            elif isinstance(operation, (ast.Eq, ast.NotEq)):
                inspected[index] |= _may_share_content(left) and not _is_constant(right)
                inspected[index + 1] |= _may_share_content(right) and not _is_constant(left)
            elif not isinstance(operation, (ast.Is, ast.IsNot)):
                inspected[index] |= _may_be_ordered(left, right)
                inspected[index + 1] |= _may_be_ordered(right, left)
        rewritten: list[ast.expr] = []
        could_switch = False
        for operand, is_inspected in zip(operands, inspected, strict=True):
            if isinstance(operand, ast.Tuple) and not self.is_ignored(operand):  # the elements are compared too
                operand.elts = [self._operand(value, inspected=True) for value in operand.elts]
                rewritten.append(operand)
            else:
                rewritten.append(self.content(operand) if is_inspected else self.expr(operand))
            could_switch = could_switch or (self.maker.may_switch and len(rewritten) > 1)
        self.maker.may_switch = could_switch  # evaluating `a < b < c` may stop after `b`
        node.left, *node.comparators = rewritten
        return node

    def _membership(self, node: ast.Compare) -> ast.expr:
        container = node.comparators[0]
        key, value = self.expr(node.left), self.receiver(container)
        if isinstance(container, _FRESH) or is_from_pytest(container):
            node.left, node.comparators = key, [value]
            return node
        place = place_of(node)
        found: ast.expr = probe("contains", key, value, self.site(place, "read", content_of(container)))
        return place.locate(ast.UnaryOp(ast.Not(), found) if isinstance(node.ops[0], ast.NotIn) else found)

    def _unary_op(self, node: ast.UnaryOp) -> ast.expr:
        node.operand = self.test(node.operand) if isinstance(node.op, ast.Not) else self.expr(node.operand)
        return node

    def _bool_op(self, node: ast.BoolOp, last: Callable[[ast.expr], ast.expr] | None = None) -> ast.expr:
        may_switch_after = False  # evaluation may stop after any operand
        for index, value in enumerate(node.values):
            is_last = index == len(node.values) - 1
            node.values[index] = (last or self.expr)(value) if is_last else self.test(value)
            may_switch_after |= self.maker.may_switch
        self.maker.may_switch = may_switch_after
        return node

    def _if_exp(self, node: ast.IfExp, branch: Callable[[ast.expr], ast.expr] | None = None) -> ast.expr:
        node.test = self.test(node.test)
        before = self.maker.may_switch
        node.body = (branch or self.expr)(node.body)
        after_body, self.maker.may_switch = self.maker.may_switch, before
        node.orelse = (branch or self.expr)(node.orelse)
        self.maker.may_switch |= after_body
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
                self.maker.may_switch = True
                generator.ifs = [self.test(condition) for condition in generator.ifs]
            if isinstance(node, ast.DictComp):
                self._pair(node)
            elif isinstance(node, ast.GeneratorExp) and isinstance(node.elt, ast.Starred):
                node.elt.value = self.iterable(node.elt.value)  # `(*x for x in y)` yields the items of x one by one
            else:
                node.elt = self.expr(node.elt)
        self.maker.may_switch = True
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
        self.maker.may_switch = True
        return node

    def _yield_from(self, node: ast.YieldFrom) -> ast.expr:
        node.value = self.iterable(node.value)
        self.maker.may_switch = True
        return node

    def _children(self, node: ast.expr) -> ast.expr:
        """Rewrite the parts of any other expression; the order of its fields is the order of evaluation."""
        for name, old in ast.iter_fields(node):
            if isinstance(old, ast.expr):
                setattr(node, name, self.expr(old))
            elif isinstance(old, list):
                old[:] = [self.expr(item) if isinstance(item, ast.expr) else item for item in old]
        return node


def _is_like_class(name: str) -> bool:
    """Return whether an imported name looks like a class name; probing calls to all imported names would be slow."""
    return name.lstrip("_")[:1].isupper()


def _may_share_content(node: ast.expr) -> bool:
    return isinstance(node, (*_VARIABLES, ast.Call))


def _may_be_ordered(node: ast.expr, other: ast.expr) -> bool:
    """Return whether `<` or a similar operator may read the contents of this operand, if it is a container.

    Names are assumed to hold numbers unless the other operand is clearly a container.
    """
    if isinstance(node, ast.Name):
        return makes_container(other)
    return _may_share_content(node) and not _is_constant(other)


def _is_float(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_constant(node: ast.expr) -> bool:
    """Return whether this is a number, string, None or another constant.

    Comparing a value with a constant does not read a container.
    """
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))
