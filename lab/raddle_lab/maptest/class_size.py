"""The size of a class: fields, methods and lines of code, for the comparison with Table II of the paper."""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
from dataclasses import dataclass

from raddle.generation.inspect_class import inspect_class
from raddle.generation.surface import MethodKind
from raddle.inspection import module_of, mro

_LAYOUT = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
)


@dataclass(frozen=True, slots=True)
class ClassSize:
    """The numbers of one class. Like the paper's, they include what the class inherits."""

    fields: int
    methods: int  # public ones, which tests can call; without constructors
    lines: int  # without blank lines, comments and docstrings


def class_size(cls: type) -> ClassSize:
    """Return the size of a class, including the base classes in its own package.

    >>> from raddle_lab.classes.appender_list import AppenderList
    >>> class_size(AppenderList).fields
    1
    """
    package = module_of(cls).partition(".")[0]
    bases = [base for base in mro(cls) if module_of(base).partition(".")[0] == package]
    sources = [textwrap.dedent(inspect.getsource(base)) for base in bases]
    fields = {name for source in sources for name in _fields(ast.parse(source))}
    methods = {
        method.name
        for method in inspect_class(cls).methods
        if method.kind not in (MethodKind.PROPERTY,) and method.name
    }
    return ClassSize(len(fields), len(methods), sum(map(_lines, sources)))


def _fields(tree: ast.Module) -> set[str]:
    """Return the names of the attributes that methods assign to `self`, and of the variables of the class."""
    (cls,) = tree.body
    assert isinstance(cls, ast.ClassDef)
    found = {
        target.id
        for statement in cls.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(cls):
        is_stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_stored and isinstance(node.value, ast.Name) and node.value.id == "self":
            found.add(node.attr)
    return found


def _lines(source: str) -> int:
    """Return the number of lines with code.

    >>> _lines("class Empty:\\n    'A docstring.'\\n\\n    x = 1  # a comment\\n")
    2
    """
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node) is not None
        ):
            first = node.body[0]
            docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)
