"""Rewrites statements, and follows the control flow to set `SiteMaker.may_switch`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from raddle.instrument.expressions import Options
from raddle.instrument.ignore import header_is_ignored
from raddle.instrument.nodes import dotted, is_lazy, load, place_of, probe, store, type_parameters
from raddle.instrument.scopes import CLASS, FUNCTION, Scopes
from raddle.instrument.sites import SiteMaker
from raddle.instrument.targets import Targets

# CPython compiles at most 20 nested blocks. The probes `enter` and `leave` and the temporaries add more blocks.
_MAX_DEPTH = 14
_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)


class Statements(Targets):
    """Rewrites the statements of one module."""

    def __init__(self, scopes: Scopes, maker: SiteMaker, options: Options, *, evaluates_annotations: bool) -> None:
        super().__init__(scopes, maker, options)
        self._evaluates_annotations = evaluates_annotations
        self._may_switch_at_break: list[bool] = []  # one entry for each enclosing loop
        self._statements: dict[type[ast.AST], Callable[[Any], list[ast.stmt]]] = {
            ast.AnnAssign: self._annotated,
            ast.Assert: self._assert,
            ast.Assign: self.assign,
            ast.AsyncFor: self._for,
            ast.AsyncFunctionDef: self._function,
            ast.AsyncWith: self._with,
            ast.AugAssign: self.augment,
            ast.Break: self._break,
            ast.ClassDef: self._class,
            ast.Continue: self._jump,
            ast.Delete: self.delete,
            ast.Expr: self._expr,
            ast.For: self._for,
            ast.FunctionDef: self._function,
            ast.If: self._if,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.Match: self._match,
            ast.Raise: self._raise,
            ast.Return: self._return,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.While: self._while,
            ast.With: self._with,
        }

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [statement for old in body for statement in self._statement(old)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        probes = self._begin_block(node) if node in self.options.leaders else []
        handler = self._statements.get(type(node))
        return [*probes, *(handler(node) if handler else [node])]

    def _begin_block(self, node: ast.stmt) -> list[ast.stmt]:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        place = place_of(decorators[0] if decorators else node)
        if place.line in self.options.ignored:
            return []
        place = place._replace(end_line=place.line, end_column=place.column + 1)
        number = self.maker.add_block(place, function=self.scope.qualname)
        return [place.locate(ast.Expr(probe("block", number)))]

    # -- simple statements ---------------------------------------------------------------------------

    def _expr(self, node: ast.Expr) -> list[ast.stmt]:
        node.value = self.expr(node.value)
        return [node]

    def _annotated(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if node.value is None:
            return [node]
        node.value = self.expr(node.value)
        if not self.needs_probes(node.target):
            return [node]
        if isinstance(node.target, ast.Name):
            node.value = self.name_write(node.target.id, node.value, place_of(node.target))
            return [node]
        statements = self.bind(node.target, node.value)
        # In modules and classes, Python evaluates the annotation after the store and discards its value.
        if self._evaluates_annotations and self.scope.kind != FUNCTION:
            statements.append(place_of(node.annotation).locate(ast.Expr(node.annotation)))
        return statements

    def _assert(self, node: ast.Assert) -> list[ast.stmt]:
        node.test = self.test(node.test)
        if node.msg is not None:
            after_test = self.maker.may_switch
            node.msg = self.expr(node.msg)
            self.maker.may_switch = after_test
        return [node]

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        if node.value is not None:
            node.value = self.expr(node.value)
        return self._jump(node)

    def _raise(self, node: ast.Raise) -> list[ast.stmt]:
        if node.exc is not None:
            node.exc = self.expr(node.exc)
        if node.cause is not None:
            node.cause = self.expr(node.cause)
        return self._jump(node)

    def _break(self, node: ast.Break) -> list[ast.stmt]:
        self._may_switch_at_break[-1] |= self.maker.may_switch
        return self._jump(node)

    def _jump(self, node: ast.stmt) -> list[ast.stmt]:
        self.maker.may_switch = False  # control never reaches the next statement
        return [node]

    def _import(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        self.maker.may_switch = True
        after: list[ast.stmt] = []
        if self.is_ignored(node) or self.scope.kind == CLASS or is_lazy(node):
            return [node]  # storing a lazily imported name under another name would trigger the import
        place = place_of(node)
        for alias in node.names:
            name = alias.asname or alias.name
            # `import a.b` binds `a` and cannot bind a temporary name instead.
            if "." in name or self.sharing_owner(name) is None:
                continue
            alias.asname = self.temporary()
            value = self.name_write(name, load(alias.asname), place)
            after += self.deleting([alias.asname], [ast.Assign([store(name)], value)], place)
        return [node, *after]

    # -- branches and loops --------------------------------------------------------------------------

    def _if(self, node: ast.If) -> list[ast.stmt]:
        node.test = self.test(node.test)
        before = self.maker.may_switch
        node.body = self.block(node.body)
        after_body, self.maker.may_switch = self.maker.may_switch, before
        node.orelse = self.block(node.orelse)
        self.maker.may_switch |= after_body
        return [node]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        self.maker.may_switch = True
        self._may_switch_at_break.append(False)
        node.test = self.test(node.test)
        after_test = self.maker.may_switch
        node.body = self.block(node.body)
        self.maker.may_switch = after_test
        may_switch_at_break = self._may_switch_at_break.pop()
        node.orelse = self.block(node.orelse)
        self.maker.may_switch |= may_switch_at_break
        return [node]

    def _for(self, node: ast.For | ast.AsyncFor) -> list[ast.stmt]:
        node.iter = self.iterable(node.iter) if isinstance(node, ast.For) else self.expr(node.iter)
        self.maker.may_switch = True
        self._may_switch_at_break.append(False)
        stores: list[ast.stmt] = []
        if self.needs_temporary(node.target):
            node.target, stores = self._via_temporary(node.target)
        node.body = [*stores, *self.block(node.body)]
        may_switch_at_break = self._may_switch_at_break.pop()
        self.maker.may_switch = True
        node.orelse = self.block(node.orelse)
        self.maker.may_switch |= may_switch_at_break
        return [node]

    def _via_temporary(self, target: ast.expr) -> tuple[ast.expr, list[ast.stmt]]:
        """Return a temporary target, and the statements that store its value in the original target."""
        place, name = place_of(target), self.temporary()
        stores = self.bind(target, load(name))
        return place.locate(store(name)), self.deleting([name], stores, place)

    def _with(self, node: ast.With | ast.AsyncWith) -> list[ast.stmt]:
        items, nested = [node.items[0]], node.items[1:]
        stores = self._manager(node, items[0])
        while nested and not stores:
            items.append(nested.pop(0))
            stores = self._manager(node, items[-1])
        if nested:  # Python assigns to the target before it evaluates the next context manager
            inner = type(node)(nested, node.body)
            body = self._with(place_of(nested[0].context_expr).locate(inner))
        else:
            body = self.block(node.body)
        node.items, node.body = items, [*stores, *body]
        self.maker.may_switch = True
        return [node]

    def _manager(self, node: ast.With | ast.AsyncWith, item: ast.withitem) -> list[ast.stmt]:
        manager = item.context_expr
        item.context_expr = self.receiver(manager)
        if isinstance(node, ast.With) and not self.is_ignored(manager):
            place = place_of(manager)
            number = self.site(place, "call", dotted(manager))
            item.context_expr = place.locate(probe("guard", item.context_expr, number))
        self.maker.may_switch = True
        if item.optional_vars is None or not self.needs_temporary(item.optional_vars):
            return []
        item.optional_vars, stores = self._via_temporary(item.optional_vars)
        return stores

    def _match(self, node: ast.Match) -> list[ast.stmt]:
        node.subject = self.content(node.subject)
        before, after = self.maker.may_switch, False
        for case in node.cases:
            self.maker.may_switch = before
            if case.guard is not None:
                case.guard = self.test(case.guard)
                before |= self.maker.may_switch
            case.body = self.block(case.body)
            after |= self.maker.may_switch
        self.maker.may_switch = before or after
        return [node]

    def _try(self, node: ast.Try) -> list[ast.stmt]:
        node.body = self.block(node.body)
        node.orelse = self.block(node.orelse)
        after = self.maker.may_switch
        for handler in node.handlers:
            self.maker.may_switch = True
            if handler.type is not None:
                handler.type = self.expr(handler.type)
            handler.body = self.block(handler.body)
            after |= self.maker.may_switch
        self.maker.may_switch = after
        if node.finalbody:
            self.maker.may_switch = True
            node.finalbody = self.block(node.finalbody)
        return [node]

    # -- definitions ---------------------------------------------------------------------------------

    def _class(self, node: ast.ClassDef) -> list[ast.stmt]:
        if header_is_ignored(node, self.options.ignored):
            self.maker.may_switch = True
            return [node]
        node.decorator_list = [self.expr(decorator) for decorator in node.decorator_list]
        if not type_parameters(node):
            node.bases = [self.expr(base) for base in node.bases]
            for keyword in node.keywords:
                keyword.value = self.expr(keyword.value)
        with self.inside(node):
            node.body = self.block(node.body)
        self.maker.may_switch = True
        return [*self._definition_write(node), node]

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        if header_is_ignored(node, self.options.ignored):
            self.maker.may_switch = True
            return [node]
        node.decorator_list = [self.expr(decorator) for decorator in node.decorator_list]
        self.defaults(node.args)
        with self.inside(node):
            node.body = self._function_body(node)
        if node.decorator_list:
            self.maker.may_switch = True
        return [*self._definition_write(node), node]

    def _function_body(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        place = place_of(node)._replace(end_line=node.lineno, end_column=node.col_offset + len("def"))
        after_docstring = 1 if _is_docstring(node.body[0]) else 0
        docstring, body = node.body[:after_docstring], node.body[after_docstring:]
        outer_loops, self._may_switch_at_break = self._may_switch_at_break, []
        cells: list[ast.stmt] = []
        if self.options.tokens and self.scope.cells:
            cells = [place.locate(ast.Assign([store(self.scope.token)], probe("cells")))]
        if _depth(body) > _MAX_DEPTH:
            body = [*cells, *self.block(body)]
        else:
            enter = place.locate(ast.Expr(probe("enter", self.site(place, "enter", ""))))
            self.maker.may_switch = True  # function entry is a switch point, and `enter` accesses nothing
            body = [*cells, *self.block(body)]
            self.maker.may_switch = True
            leave = place.locate(ast.Expr(probe("leave", self.site(place, "leave", ""))))
            body = [enter, place.locate(ast.Try(body or [place.locate(ast.Pass())], [], [], [leave]))]
        self._may_switch_at_break = outer_loops
        return [*docstring, *body]

    def _definition_write(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[ast.stmt]:
        """Return a list with the probe for the write if this `def` or `class` binds a shared name; otherwise [].

        The bound value cannot be passed through a probe, so the probe runs just before the definition.
        """
        if self.sharing_owner(node.name) is None:
            return []
        place = place_of(node)
        return [place.locate(ast.Expr(self.name_write(node.name, ast.Constant(None), place)))]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _depth(body: Iterable[ast.AST]) -> int:
    """Return an upper bound on the nesting depth of blocks as the compiler counts it. A `try` counts as three."""
    deepest = 0
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            continue
        own = 3 if hasattr(node, "handlers") else 1 if isinstance(node, _BLOCKS) else 0
        deepest = max(deepest, own + _depth(ast.iter_child_nodes(node)))
    return deepest
