"""Numbers the statements of a file. Control flow graphs and instrumented code use the same numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef
ENTRY, MODULE_ENTRY = "entry", "module"  # the texts of entries
_DECLARATIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_LEAVES_OUT = (ast.Global, ast.Nonlocal, ast.Try, ast.TryStar)


@dataclass(frozen=True, slots=True)
class Line:
    """The place of a numbered statement, and the qualified name of its function."""

    line: int
    column: int
    function: str  # "<module>" outside of functions
    text: str  # the first word of the statement, such as "if" or "recv"; reports show it


@dataclass
class Numbering:
    """The numbers of the statements of a file, in source order.

    A number is `base` plus an index. Functions and the module itself also have a number, for their entry.
    """

    base: int
    lines: list[Line] = field(default_factory=list)  # by index
    _numbers: dict[ast.AST, int] = field(default_factory=dict)
    _entries: dict[ast.AST, int] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)  # by qualified name

    def number(self, statement: ast.AST) -> int | None:
        """Return the number of a statement; None for statements that are no nodes, such as declarations."""
        return self._numbers.get(statement)

    def entry(self, unit: ast.AST) -> int:
        """Return the number of the entry of a function or a module."""
        return self._entries[unit]

    def line(self, number: int) -> Line:
        """Return the place of a numbered statement."""
        return self.lines[number - self.base]


def number_statements(tree: ast.Module, base: int) -> Numbering:
    """Return the numbers of the statements of a module.

    >>> numbering = number_statements(ast.parse("import sys\\ndef f(x):\\n    return x\\nf(1)"), 100)
    >>> [(line.line, line.function) for line in numbering.lines]
    [(1, '<module>'), (2, 'f'), (3, 'f'), (4, '<module>')]
    """
    numbering = Numbering(base)
    _enter(numbering, tree, "<module>")
    _unit(numbering, tree.body, "<module>", "")
    return numbering


def _enter(numbering: Numbering, unit: ast.AST, function: str) -> None:
    numbering._entries[unit] = numbering.base + len(numbering.lines)
    text = MODULE_ENTRY if isinstance(unit, ast.Module) else ENTRY
    numbering.lines.append(Line(getattr(unit, "lineno", 1), getattr(unit, "col_offset", 0), function, text))


def _unit(numbering: Numbering, body: Sequence[ast.stmt], function: str, prefix: str) -> None:
    """Add the body of a function or a module; `prefix` is put before the names of functions inside."""
    for index, statement in enumerate(body):
        if isinstance(statement, _DECLARATIONS):
            _declaration(numbering, statement, prefix)
        elif not (index == 0 and is_docstring(statement)):
            _statement(numbering, statement, function, prefix)


def _declaration(numbering: Numbering, statement: ast.stmt, prefix: str) -> None:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        name = prefix + statement.name
        _enter(numbering, statement, name)
        numbering.functions.setdefault(name, statement)
        _unit(numbering, statement.body, name, f"{name}.<locals>.")
    elif isinstance(statement, ast.ClassDef):
        for inner in statement.body:
            _declaration(numbering, inner, f"{prefix}{statement.name}.")


def _statement(numbering: Numbering, statement: ast.stmt, function: str, prefix: str) -> None:
    if not isinstance(statement, _LEAVES_OUT) and not is_main_guard(statement):
        _add(numbering, statement, function, first_word(statement))
    if isinstance(statement, _DECLARATIONS):
        _declaration(numbering, statement, prefix)
        return
    for inner in _inside(statement):
        if isinstance(inner, (ast.ExceptHandler, ast.match_case)):
            _add(numbering, inner, function, "except" if isinstance(inner, ast.ExceptHandler) else "case")
            for one in inner.body:
                _statement(numbering, one, function, prefix)
        else:
            _statement(numbering, inner, function, prefix)


def _add(numbering: Numbering, node: ast.stmt | ast.ExceptHandler | ast.match_case, function: str, text: str) -> None:
    numbering._numbers[node] = numbering.base + len(numbering.lines)
    place = node.pattern if isinstance(node, ast.match_case) else node
    numbering.lines.append(Line(place.lineno, place.col_offset, function, text))


def _inside(statement: ast.stmt) -> Iterator[ast.stmt | ast.ExceptHandler | ast.match_case]:
    """Yield the statements, handlers and cases directly inside a compound statement, in source order."""
    for field_name in ("body", "handlers", "cases", "orelse", "finalbody"):
        yield from getattr(statement, field_name, ())


def is_docstring(statement: ast.stmt) -> bool:
    """Return whether the first statement of a body is a docstring."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def is_main_guard(statement: ast.stmt) -> bool:
    """Return whether a statement is `if __name__ == "__main__":`, whose body a program always runs."""
    return isinstance(statement, ast.If) and ast.unparse(statement.test) in (
        "__name__ == '__main__'",
        "'__main__' == __name__",
    )


def first_word(statement: ast.stmt) -> str:
    """Return a word that describes a statement: the method that it calls, or the name of its syntax."""
    value = getattr(statement, "value", None)
    if isinstance(value, ast.Call) and isinstance(value.func, (ast.Attribute, ast.Name)):
        return value.func.attr if isinstance(value.func, ast.Attribute) else value.func.id
    return type(statement).__name__.lower()
