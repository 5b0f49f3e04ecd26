"""Whose attribute is it? Finds what stands before the dot, as far as the source alone can say.

`self`, whatever a method calls its first argument, is an object of the class around; a name may be a class of the
module, or an import. Everything else is unknown here: what executions see is added later.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import NamedTuple

from raddle.instrument.nodes import dotted
from raddle.instrument.scopes import CLASS, FUNCTION, MODULE, TYPE_PARAMETERS, Scope

# Attributes that an object's own constructor touches, globals that code at import touches, and closure variables
# before any inner function is made are not shared yet. Memory-access patterns are about *mutable shared* state (MAP,
# section II), so such accesses are left out of the totals; and what is never written later is no variable at all.
INITIALIZERS = frozenset({"__init__", "__post_init__"})  # constructors that are given the object
CONSTRUCTORS = INITIALIZERS | {"__new__"}

OF_CLASS = "class"  # an object of a class of the module, or that class; its qualified name
OF_SCOPE = "scope"  # the names of a module or of a function; the owner as `AbstractVariable` has it
OF_IMPORT = "import"  # something got by an import; where from, with dots
UNKNOWN = "unknown"


class Holder(NamedTuple):
    """Who has a variable."""

    kind: str
    name: str


NOBODY_KNOWS = Holder(UNKNOWN, "")


class Receivers:
    """Finds holders in one module."""

    def __init__(self, file: str, classes: Collection[str], imports: Mapping[str, str]) -> None:
        self._file = file
        self._classes = classes
        self._imports = imports
        self._methods: dict[Scope, str | None] = {}  # function -> the class, if its first argument is of that

    def of(self, node: ast.expr, scope: Scope) -> Holder:
        """Who has the attributes of the object that an expression gives."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type":
            return self.of(node.args[0], scope) if len(node.args) == 1 else NOBODY_KNOWS
        return self.named(dotted(node), scope)

    def named(self, path: str, scope: Scope) -> Holder:
        """Who has the attributes of `self`, `shop.cart` or `Cart`."""
        root, _, rest = path.partition(".")
        owner = scope.owner(scope.mangled(root))
        if owner.kind == FUNCTION:
            method_of = self._method_of(owner)
            if method_of is not None and self._is_object(owner, root):
                return Holder(OF_CLASS, method_of) if rest in ("", "__class__") else NOBODY_KNOWS
        if owner.prefix + path in self._classes:
            return Holder(OF_CLASS, owner.prefix + path)
        if root in self._imports and (owner.kind == MODULE or root not in _parameters(owner)):
            return Holder(OF_IMPORT, ".".join(filter(None, (self._imports[root], rest))))
        return NOBODY_KNOWS

    def scope_of(self, name: str, scope: Scope) -> Holder:
        """Who has the variable that a bare name stands for."""
        owner = scope.owner(scope.mangled(name))
        if owner.kind == MODULE:
            imported_from = self._imports.get(name, "").rpartition(".")[0]
            return Holder(OF_IMPORT, imported_from) if imported_from else Holder(OF_SCOPE, self._file)
        return Holder(OF_SCOPE, f"{self._file}:{owner.qualname}")

    def is_early(self, holder: Holder, path: str, scope: Scope) -> bool:
        """Is what `path` names touched before any other thread can? In an object's own constructor, or, of its own
        names, by a module at import; a script may well touch objects there that its threads have."""
        if scope.kind == CLASS or (scope.kind == MODULE and holder.kind == OF_SCOPE):
            return True
        if scope.kind == MODULE:
            return False
        if holder.kind != OF_CLASS or scope is not scope.owner(scope.mangled(path)):
            return False
        constructor = _name(scope)
        if constructor == "__new__":  # what it is given is the class, which is shared; what it makes is not
            return path != _first(scope)
        return constructor in CONSTRUCTORS and path == _first(scope)

    def _is_object(self, function: Scope, name: str) -> bool:
        """Is this the first argument of a method, or, in `__new__`, a local that stands for the object made?"""
        if name == _first(function):
            return len(function.bindings[function.mangled(name)]) == 1
        return _name(function) == "__new__" and name not in _parameters(function) and name not in self._imports

    def _method_of(self, function: Scope) -> str | None:
        if function not in self._methods:
            around = function.parent
            while around is not None and around.kind == TYPE_PARAMETERS:
                around = around.parent
            is_method = around is not None and around.kind == CLASS and not _is_static(function)
            self._methods[function] = around.qualname if is_method and around is not None else None
        return self._methods[function]


def _name(function: Scope) -> str:
    return getattr(function.node, "name", "")


def _parameters(function: Scope) -> list[str]:
    arguments = getattr(function.node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return []
    variadic = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *variadic]
    return [argument.arg for argument in named]


def _first(function: Scope) -> str | None:
    arguments = getattr(function.node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return None
    positional = [*arguments.posonlyargs, *arguments.args]
    return positional[0].arg if positional else None


def _is_static(function: Scope) -> bool:
    decorators: list[ast.expr] = getattr(function.node, "decorator_list", [])
    return any(dotted(decorator) == "staticmethod" for decorator in decorators) and _name(function) != "__new__"
