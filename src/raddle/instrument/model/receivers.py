"""Finds the holder of an attribute: the class, scope or import that the expression before the dot refers to.

Only the source is analyzed. The first argument of a method, usually `self`, is an object of the enclosing class. Other
names may refer to a class of the module or to an import. All other holders are unknown here. Accesses to their
attributes are added later, when they are observed in executions.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import NamedTuple

from raddle.instrument.nodes import dotted
from raddle.instrument.scopes import CLASS, FUNCTION, MODULE, TYPE_PARAMETERS, Scope

# Early accesses touch state that is not shared yet: attributes in an object's own constructor, globals at import, and
# closure variables before any inner function is created. Memory-access patterns are about *mutable shared* state (MAP,
# section II), so the totals leave these accesses out. State that is never written after initialization does not count
# as a variable.
INITIALIZERS = frozenset({"__init__", "__post_init__"})  # constructors whose first argument is the new object
CONSTRUCTORS = INITIALIZERS | {"__new__"}

OF_CLASS = "class"  # the holder is a class of the module or an instance; `name` is the qualified name of the class
OF_SCOPE = "scope"  # the holder is a module or function; `name` is its owner name, as in `AbstractVariable`
OF_IMPORT = "import"  # the holder is imported; `name` is its absolute dotted name
UNKNOWN = "unknown"


class Holder(NamedTuple):
    """The class, scope or import that a variable belongs to."""

    kind: str
    name: str


UNKNOWN_HOLDER = Holder(UNKNOWN, "")


class Receivers:
    """Finds the holders of variables used in one module."""

    def __init__(self, file: str, classes: Collection[str], imports: Mapping[str, str]) -> None:
        self._file = file
        self._classes = classes
        self._imports = imports
        self._methods: dict[Scope, str | None] = {}  # maps a function to its class if it is a method

    def of(self, node: ast.expr, scope: Scope) -> Holder:
        """Return the holder of attributes that are accessed on this expression."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type":
            return self.of(node.args[0], scope) if len(node.args) == 1 else UNKNOWN_HOLDER
        return self.named(dotted(node), scope)

    def named(self, path: str, scope: Scope) -> Holder:
        """Return the holder of attributes that are accessed on a dotted name such as `self`, `shop.cart` or `Cart`."""
        root, _, rest = path.partition(".")
        owner = scope.owner(scope.mangled(root))
        if owner.kind == FUNCTION:
            method_of = self._method_of(owner)
            if method_of is not None and self._is_instance(owner, root):
                return Holder(OF_CLASS, method_of) if rest in ("", "__class__") else UNKNOWN_HOLDER
        if owner.prefix + path in self._classes:
            return Holder(OF_CLASS, owner.prefix + path)
        if root in self._imports and (owner.kind == MODULE or root not in _parameters(owner)):
            return Holder(OF_IMPORT, ".".join(filter(None, (self._imports[root], rest))))
        return UNKNOWN_HOLDER

    def scope_of(self, name: str, scope: Scope) -> Holder:
        """Return the holder of the variable that a plain name refers to."""
        owner = scope.owner(scope.mangled(name))
        if owner.kind == MODULE:
            imported_from = self._imports.get(name, "").rpartition(".")[0]
            return Holder(OF_IMPORT, imported_from) if imported_from else Holder(OF_SCOPE, self._file)
        return Holder(OF_SCOPE, f"{self._file}:{owner.qualname}")

    def is_early(self, holder: Holder, path: str, scope: Scope) -> bool:
        """Return whether an attribute of `path` is accessed before any other thread can access it.

        That is the case in an object's own constructor, and at import for the names of the module itself. It is not the
        case for other objects at import, because the threads of a script may already share them.
        """
        if scope.kind == CLASS or (scope.kind == MODULE and holder.kind == OF_SCOPE):
            return True
        if scope.kind == MODULE:
            return False
        if holder.kind != OF_CLASS or scope is not scope.owner(scope.mangled(path)):
            return False
        constructor = _function_name(scope)
        if constructor == "__new__":  # the first argument is the class, which is shared, unlike the new object
            return path != _first_parameter(scope)
        return constructor in CONSTRUCTORS and path == _first_parameter(scope)

    def _is_instance(self, function: Scope, name: str) -> bool:
        """Return whether a name is the first argument of a method or, in `__new__`, may hold the new object."""
        if name == _first_parameter(function):
            return len(function.bindings[function.mangled(name)]) == 1
        return _function_name(function) == "__new__" and name not in _parameters(function) and name not in self._imports

    def _method_of(self, function: Scope) -> str | None:
        if function not in self._methods:
            enclosing = function.parent
            while enclosing is not None and enclosing.kind == TYPE_PARAMETERS:
                enclosing = enclosing.parent
            is_method = enclosing is not None and enclosing.kind == CLASS and not _is_static(function)
            self._methods[function] = enclosing.qualname if is_method and enclosing is not None else None
        return self._methods[function]


def _function_name(function: Scope) -> str:
    return getattr(function.node, "name", "")


def _parameters(function: Scope) -> list[str]:
    arguments = getattr(function.node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return []
    variadic = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *variadic]
    return [argument.arg for argument in named]


def _first_parameter(function: Scope) -> str | None:
    arguments = getattr(function.node, "args", None)
    if not isinstance(arguments, ast.arguments):
        return None
    positional = [*arguments.posonlyargs, *arguments.args]
    return positional[0].arg if positional else None


def _is_static(function: Scope) -> bool:
    decorators: list[ast.expr] = getattr(function.node, "decorator_list", [])
    return (
        any(dotted(decorator) == "staticmethod" for decorator in decorators) and _function_name(function) != "__new__"
    )
