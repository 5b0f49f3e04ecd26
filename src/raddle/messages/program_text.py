"""The text of a program, in which the source of one node can be replaced."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

SENDS = frozenset({
    "send", "ssend", "bsend", "isend", "issend", "ibsend", "Send", "Ssend", "Bsend", "Rsend", "Isend", "Issend",
    "Ibsend", "Irsend",
})  # fmt: skip
RECEIVES = frozenset({"recv", "irecv", "Recv", "Irecv"})
SENDING_BOTH = frozenset({"sendrecv", "Sendrecv"})
COLLECTIVES = frozenset({
    "bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce", "scan", "exscan", "Bcast", "Gather",
    "Scatter", "Allgather", "Alltoall", "Reduce", "Allreduce", "Scan", "Exscan",
})  # fmt: skip
PRIMITIVES = SENDS | RECEIVES | SENDING_BOTH | COLLECTIVES
# Positions of arguments that need not be passed by name
_POSITIONS = {"dest": 1, "source": 1, "payload": 0}


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of a part of the source, given by offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program as text and as a syntax tree."""

    source: str
    tree: ast.Module
    _lines: tuple[int, ...]  # offset of each line

    @classmethod
    def parse(cls, source: str) -> ProgramText:
        """Parse a program; raise `SyntaxError` if it is not valid Python."""
        lengths = (len(line) for line in source.splitlines(keepends=True))
        return cls(source, ast.parse(source), (0, *accumulate(lengths)))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position as the parser reports it: columns count bytes."""
        start = self._lines[line - 1]
        end = self._lines[line] if line < len(self._lines) else len(self.source)
        return start + len(self.source[start:end].encode()[:column].decode())

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both starting at 1.

        >>> ProgramText.parse("a = 1\\nb = 2\\n").position(8)
        (2, 3)
        """
        line = max(number for number, start in enumerate(self._lines, 1) if start <= offset)
        return line, offset - self._lines[line - 1] + 1

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the offsets at which a node begins and ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return the source of a node."""
        start, end = self.span(node)
        return self.source[start:end]

    def replace(self, node: ast.expr | ast.stmt, text: str) -> Edit:
        """Return the edit that replaces a node."""
        start, end = self.span(node)
        return Edit(start, end, text)

    def replace_statement(self, node: ast.stmt, new: ast.stmt) -> Edit:
        """Return the edit that replaces a statement by a new one, with the same indentation."""
        text = textwrap.indent(ast.unparse(ast.fix_missing_locations(new)), " " * node.col_offset).lstrip()
        return self.replace(node, text)

    def apply(self, edit: Edit) -> str:
        """Return the source with a replacement."""
        return self.source[: edit.start] + edit.text + self.source[edit.end :]

    # -- parts of programs ----------------------------------------------------------------------------

    def primitives(self, names: frozenset[str] = PRIMITIVES) -> Iterator[ast.Call]:
        """Yield the calls of MPI primitives with these names."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
                yield node

    def statements(self) -> Iterator[ast.stmt]:
        """Yield all statements."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt):
                yield node

    def names_beside(self, node: ast.AST) -> list[str]:
        """Return the variables that the function around a node assigns, or the module if there is none."""
        around: ast.AST = self.tree
        for function in ast.walk(self.tree):
            if isinstance(function, ast.FunctionDef) and any(inner is node for inner in ast.walk(function)):
                around = function
        names = {
            one.id: None for one in ast.walk(around) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        if isinstance(around, ast.FunctionDef):
            names |= {argument.arg: None for argument in around.args.args}
        return list(names)


def argument(call: ast.Call, name: str) -> ast.expr | None:
    """Return an argument of a primitive: "dest", "source", "tag" or the "payload" of a send; None if it is not passed.

    >>> call = ast.parse("comm.send(x, 1, tag=5)", mode="eval").body
    >>> [ast.unparse(argument(call, name)) for name in ("payload", "dest", "tag")]
    ['x', '1', '5']
    """
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    assert isinstance(call.func, ast.Attribute)
    at = 2 if name == "tag" else _POSITIONS[name]
    if name == "source" and call.func.attr not in RECEIVES:
        return None
    if name == "dest" and call.func.attr in RECEIVES:
        return None
    return call.args[at] if at < len(call.args) else None
