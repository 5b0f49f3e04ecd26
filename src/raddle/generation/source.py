"""Writes expressions and calls as source code, formatted as `ruff format` would format it.

Code is a tree of texts and brackets. A bracket is written in one line if it fits, and otherwise with one item per line.
The arguments of a call may also share one line of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from raddle.generation.expressions import (
    Callback,
    Container,
    Expression,
    Fake,
    Imported,
    Literal,
    New,
    Stub,
    TemporaryPath,
    Variable,
)
from raddle.generation.surface import MethodKind
from raddle.generation.testcase import Call

FAKE = Imported(Fake.__module__, Fake.__qualname__)  # a class that a test defines rather than imports
WIDTH = 88  # maximum line length
INDENT = "    "


class NotWritableError(Exception):
    """A value cannot be written as source code. The message says which and why."""


@dataclass(frozen=True, slots=True)
class Brackets:
    """Items in brackets, with the text before them, such as `Stack(` and `)`."""

    before: str
    items: tuple[Code, ...]
    after: str
    is_call: bool = False  # whether the items may share a line of their own
    with_comma: bool = False  # whether a single item needs a trailing comma, as in a tuple

    def __str__(self) -> str:
        comma = "," if self.with_comma else ""
        return f"{self.before}{', '.join(map(str, self.items))}{comma}{self.after}"


Code: TypeAlias = str | Brackets


def lines(code: Code, *, indent: str = "", after: str = "") -> list[str]:
    """Return the lines of code; `after` is text that follows it immediately.

    >>> lines(Brackets("f(", ("a", "b"), ")", is_call=True), indent="    ")
    ['    f(a, b)']
    """
    line = f"{indent}{code}{after}"
    if isinstance(code, str) or not code.items or len(line) <= WIDTH:
        return [line]
    inner = indent + INDENT
    together = inner + ", ".join(map(str, code.items))
    if code.is_call and len(together) <= WIDTH:
        body = [together]
    else:
        body = [text for item in code.items for text in lines(item, indent=inner, after=",")]
    return [f"{indent}{code.before}", *body, f"{indent}{code.after}{after}"]


class Names:
    """What the source of a test calls its variables, callbacks and imported objects."""

    def __init__(
        self,
        variables: dict[str, str] | None = None,
        *,
        callbacks: dict[str, str] | None = None,
        received: dict[str, str] | None = None,
        imported: Callable[[Imported], str] = lambda imported: imported.name,
        folder: str = "tmp_path",
    ) -> None:
        self.variables = {} if variables is None else variables
        self.callbacks = {} if callbacks is None else callbacks  # those that are functions of their own
        self.received = {} if received is None else received  # the lists of what callbacks have received
        self.imported = imported  # called for each object that the source uses
        self.folder = folder

    def code(self, expression: Expression) -> Code:
        """Return the source of an expression.

        >>> str(Names().code(Container("dict", (Literal("a"), Container("tuple", (Literal(1),))))))
        '{"a": (1,)}'
        """
        match expression:
            case Literal(value):
                return literal(value)
            case Imported():
                return self.imported(expression)
            case Variable(name):
                return self.variables[name]
            case Container(kind, items):
                return self._container(kind, [self.code(item) for item in items])
            case New(function, arguments, keywords):
                return called(self.imported(function), self._arguments(arguments, keywords))
            case Callback(name, returns):
                return self.callbacks.get(name) or f"lambda *args, **kwargs: {self.code(returns)}"
            case Stub(attributes, hashable):
                namespace = self.imported(FAKE if hashable else Imported("types", "SimpleNamespace"))
                return called(namespace, self._arguments((), attributes))
            case TemporaryPath(name):
                return f"str({self.folder} / {literal(name)})"

    def _container(self, kind: str, items: Sequence[Code]) -> Code:
        match kind:
            case "list":
                return Brackets("[", tuple(items), "]")
            case "tuple":
                return Brackets("(", tuple(items), ")", with_comma=len(items) == 1)
            case "set":
                return Brackets("{", tuple(items), "}") if items else "set()"
            case "dict":
                pairs = zip(items[::2], items[1::2], strict=True)
                return Brackets("{", tuple(_after(f"{key}: ", value) for key, value in pairs), "}")
            case "frozenset":
                return called("frozenset", [Brackets("[", tuple(items), "]")] if items else [])
            case _:
                deque = self.imported(Imported("collections", "deque"))
                return called(deque, [Brackets("[", tuple(items), "]")] if items else [])

    def _arguments(self, arguments: Sequence[Expression], keywords: Sequence[tuple[str, Expression]]) -> list[Code]:
        return [
            *map(self.code, arguments),
            *(_after(f"{name}=", self.code(value)) for name, value in keywords),
        ]

    def call(self, call: Call) -> Code:
        """Return the source of a call as an expression.

        Raises:
            NotWritableError: If the call can be written only as a statement; see `statement`.
        """
        code = self._call(call)
        return called("list", [code]) if call.consumed else code

    def _call(self, call: Call) -> Code:
        method, receiver = call.method, self.variables.get(call.receiver, "")
        arguments = self._arguments(call.arguments, call.keywords)
        match method.kind:
            case MethodKind.METHOD:
                return called(f"{receiver}.{method.name}", arguments)
            case MethodKind.OPERATOR:
                return self._operator(method.name, receiver, arguments)
            case MethodKind.PROPERTY:
                return f"{receiver}.{method.name}"
            case MethodKind.CALLBACK:
                return f"sorted({self.received.get(method.name, f'{method.name}_calls')}, key=repr)"
            case MethodKind.CONTEXT:
                raise NotWritableError(f"with {receiver}.{method.name} is a statement")
            case MethodKind.ASSIGNMENT:
                raise NotWritableError(f"{receiver}.{method.name} = ... is a statement")
            case MethodKind.FUNCTION:
                return called(self.imported(method.owner), arguments)
            case MethodKind.CONSTRUCTOR | MethodKind.STATIC:
                owner = self.imported(method.owner)
                return called(owner if method.name in ("", "__init__") else f"{owner}.{method.name}", arguments)

    def is_statement(self, call: Call) -> bool:
        """Return whether a call can be written only as a statement."""
        in_place = call.method.kind is MethodKind.OPERATOR and call.method.name in ("__setitem__", "__delitem__")
        return in_place or call.method.kind in (MethodKind.CONTEXT, MethodKind.ASSIGNMENT)

    def statement(self, call: Call, *, indent: str, body: str = "pass") -> list[str]:
        """Return the lines of a call as a statement, without an assignment of its result.

        `body` is the body of a `with` statement.
        """
        method, receiver = call.method, self.variables.get(call.receiver, "")
        arguments = self._arguments(call.arguments, call.keywords)
        if method.kind is MethodKind.CONTEXT:
            manager = called(f"{receiver}.{method.name}", arguments) if method.name else receiver
            return [*lines(_after("with ", manager), indent=indent, after=":"), f"{indent}{INDENT}{body}"]
        if method.kind is MethodKind.ASSIGNMENT:
            return lines(_after(f"{receiver}.{method.name} = ", arguments[0]), indent=indent)
        if method.kind is MethodKind.OPERATOR and method.name == "__setitem__":
            return lines(_after(f"{receiver}[{arguments[0]}] = ", arguments[1]), indent=indent)
        if method.kind is MethodKind.OPERATOR and method.name == "__delitem__":
            return [f"{indent}del {receiver}[{arguments[0]}]"]
        return lines(self.call(call), indent=indent)

    def _operator(self, name: str, receiver: str, arguments: list[Code]) -> Code:
        first = arguments[0] if arguments else ""
        match name:
            case "__len__" | "__hash__" | "__str__" | "__repr__" | "__bool__" | "__next__":
                return f"{name.strip('_')}({receiver})"
            case "__iter__":
                return f"list({receiver})"
            case "__reversed__":
                return f"list(reversed({receiver}))"
            case "__getitem__":
                return f"{receiver}[{first}]"
            case "__contains__":
                return f"{first} in {receiver}"
            case "__eq__":
                return f"{receiver} == {first}"
            case "__ne__":
                return f"{receiver} != {first}"
            case "__lt__":
                return f"{receiver} < {first}"
            case "__call__":
                return called(receiver, arguments)
        raise NotWritableError(f"no operator calls {name}")


def called(function: str, arguments: Sequence[Code]) -> Brackets:
    """Return the source of a function call.

    >>> str(called("len", ["items"]))
    'len(items)'
    """
    return Brackets(f"{function}(", tuple(arguments), ")", is_call=True)


def _after(text: str, code: Code) -> Code:
    """Return the code with text before it."""
    if isinstance(code, str):
        return text + code
    return Brackets(text + code.before, code.items, code.after, is_call=code.is_call, with_comma=code.with_comma)


def literal(value: Any) -> str:
    """Return the source of a constant, with double quotes where possible.

    >>> literal(("it's", b"a", None))
    '("it\\'s", b"a", None)'
    """
    kind = type(value)
    if kind is str or kind is bytes:
        text = repr(value)
        prefix, body = ("b", text[2:-1]) if kind is bytes else ("", text[1:-1])
        if text[-1] == '"' or '"' in body:
            return text
        return f'{prefix}"{body}"'
    if kind in (int, bool, complex, type(None), type(Ellipsis)):
        return "..." if value is ... else repr(value)
    if kind is float:
        return repr(value) if value - value == 0 else f'float("{value}")'
    if kind is list:
        return f"[{', '.join(map(literal, value))}]"
    if kind is tuple:
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if kind is dict:
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if kind in (set, frozenset):
        items = ", ".join(sorted(map(literal, value)))
        text = f"{{{items}}}" if items else "set()"
        return text if kind is set else f"frozenset({text if items else ''})"
    raise NotWritableError(f"a value of type {kind.__qualname__} cannot be written as source code")
