"""Recognizes expressions that create a built-in container, and container methods that read or write.

The source seldom shows what a variable holds. If an assignment stores a container in a variable, the static model
treats the content of the container as a second variable. The contents of other containers are added to the
model when they are observed in executions.
"""

from __future__ import annotations

import ast

_CONTAINER_FACTORIES = frozenset(
    {"list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Counter", "bytearray", "array"}
)
_ANNOTATIONS = _CONTAINER_FACTORIES | {
    "List",
    "Dict",
    "Set",
    "Deque",
    "DefaultDict",
    "MutableSequence",
    "MutableMapping",
}
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)

# Methods are classified by name, because the type of the object is unknown. Names that mean different things for
# different containers are left out.
READERS = frozenset({
    "copy", "count", "difference", "get", "index", "intersection", "isdisjoint", "issubset", "issuperset", "items",
    "keys", "symmetric_difference", "union", "values",
})  # fmt: skip
WRITERS = frozenset({
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft", "insert",
    "intersection_update", "move_to_end", "pop", "popitem", "popleft", "remove", "reverse", "rotate", "setdefault",
    "sort", "subtract", "symmetric_difference_update", "update",
})  # fmt: skip
VIEWS = frozenset({"items", "keys", "values"})


def makes_container(node: ast.expr | None) -> bool:
    """Return whether an expression can create a new list, dict, set or similar container.

    >>> [makes_container(ast.parse(text, mode="eval").body) for text in ("items or []", "[0] * 9", "f()", "deque()")]
    [True, True, False, True]
    """
    if isinstance(node, _DISPLAYS):
        return True
    if isinstance(node, ast.Call):
        # `default_factory` is an argument of `dataclasses.field`.
        factories = [keyword.value for keyword in node.keywords if keyword.arg == "default_factory"]
        return _last_name(node.func) in _CONTAINER_FACTORIES or any(map(_is_factory, factories))
    if isinstance(node, ast.BoolOp):
        return any(map(makes_container, node.values))
    if isinstance(node, ast.IfExp):
        return makes_container(node.body) or makes_container(node.orelse)
    if isinstance(node, ast.BinOp):
        return makes_container(node.left) or makes_container(node.right)
    return isinstance(node, ast.NamedExpr) and makes_container(node.value)


def is_container_type(annotation: ast.expr | None) -> bool:
    """Return whether an annotation names a list, dict, set or similar container.

    >>> texts = ("list[int]", "dict[str, int] | None", "ClassVar[set[str]]", "tuple[int]")
    >>> [is_container_type(ast.parse(text, mode="eval").body) for text in texts]
    [True, True, True, False]
    """
    if isinstance(annotation, ast.Subscript):
        if _last_name(annotation.value) in ("ClassVar", "Final", "Optional"):
            return is_container_type(annotation.slice)
        return is_container_type(annotation.value)
    if isinstance(annotation, ast.BinOp):
        return is_container_type(annotation.left) or is_container_type(annotation.right)
    return annotation is not None and _last_name(annotation) in _ANNOTATIONS


def _is_factory(node: ast.expr) -> bool:
    return _last_name(node) in _CONTAINER_FACTORIES or (isinstance(node, ast.Lambda) and makes_container(node.body))


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
