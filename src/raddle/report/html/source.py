"""The current source of a measured file, and whether the source has changed since the measurement."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from raddle.report.source import AS_MEASURED, CHANGED, MISSING, CurrentFile
from raddle.site import INDEX_BITS


@dataclass(frozen=True, slots=True)
class Source:
    """The source lines of a file."""

    lines: tuple[str, ...] = ()  # without line endings
    state: str = MISSING
    path: str = ""
    digests: frozenset[int] = frozenset()  # digests of the measured versions that match these lines

    def has(self, site: int) -> bool:
        """Return whether a site belongs to these lines. If not, its line and column refer to another version.

        >>> Source(("x = 1",), AS_MEASURED, digests=frozenset({4711})).has(4711 << INDEX_BITS)
        True
        """
        return self.state == AS_MEASURED and site >> INDEX_BITS in self.digests

    def remark(self, sites: Collection[int] = ()) -> str:
        """Return a remark on a missing or changed source, or "" if it is unchanged."""
        if self.state == MISSING:
            return (
                f"The source was found neither at {self.path or 'its original path'} nor under its relative path in "
                "the current folder, so only the measured sites are shown."
            )
        if self.state == CHANGED:
            return (
                "The source has changed since it was measured. Each measured site is listed after the line that now "
                "has its line number."
            )
        if not all(map(self.has, sites)):
            return (
                "This file was measured in several versions. Sites of other versions are listed after the line that "
                "now has their line number."
            )
        return ""


def load(found: CurrentFile) -> Source:
    """Read the source of a file. A file that cannot be read counts as missing.

    >>> load(CurrentFile("/nowhere.py")).state
    'missing'
    """
    if found.state == MISSING:
        return Source(path=found.path)
    try:
        data = Path(found.path).read_bytes()
    except (OSError, ValueError):
        return Source(path=found.path)
    return Source(tuple(text_lines(data)), found.state, found.path, found.digests)


def text_lines(data: bytes) -> list[str]:
    """Decode and split source lines as Python does; bytes that cannot be decoded are escaped.

    >>> text_lines("# coding: latin-1\\nname = 'é'".encode("latin-1"))
    ['# coding: latin-1', "name = 'é'"]
    >>> text_lines(b"broken = '\\xff'")
    ["broken = '\\\\xff'"]
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        text = data.decode("utf-8", "backslashreplace")
    # `splitlines` would also split at form feeds and similar characters, which do not end a line for Python.
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def functions(lines: Collection[str]) -> list[tuple[int, int, int]]:
    """Return, for every function, its first line including decorators, its `def` line and its last line.

    If the lines are not valid Python, return an empty list.

    >>> functions(["@cached", "def f():", "    return 1", "", "x = f()"])
    [(1, 2, 3)]
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        (min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
