"""The source of a measured file as it lies on the disk now, and whether it is still what was measured."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from raddle.report.source import AS_MEASURED, CHANGED, MISSING, Found
from raddle.site import INDEX_BITS


@dataclass(frozen=True, slots=True)
class Source:
    """Lines, without their ends."""

    lines: tuple[str, ...] = ()
    state: str = MISSING
    path: str = ""
    digests: frozenset[int] = frozenset()  # of what was measured: those that these lines have

    def has(self, site: int) -> bool:
        """Does the site stand in these lines? If not, its line and column are those of another version.

        >>> Source(("x = 1",), AS_MEASURED, digests=frozenset({4711})).has(4711 << INDEX_BITS)
        True
        """
        return self.state == AS_MEASURED and site >> INDEX_BITS in self.digests

    def remark(self, sites: Collection[int] = ()) -> str:
        """What has to be said about it and its sites; "" where all is well."""
        if self.state == MISSING:
            return (
                f"The source is not where it was measured ({self.path or 'nobody knows where'}), nor under its name "
                "from here: only places are shown."
            )
        if self.state == CHANGED:
            return (
                "The source has changed since it was measured. What was measured stands behind the line that had its "
                "number then."
            )
        if not all(map(self.has, sites)):
            return (
                "Another source was measured under this name, too. What was measured in it stands behind the line that "
                "had its number there."
            )
        return ""


def load(found: Found) -> Source:
    """The source of a file, where it is.

    >>> load(Found("/nowhere.py")).state
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
    """As Python reads them, whatever the encoding; bytes that are no text are shown as such.

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
    # Not `splitlines`: form feeds and the like end no line for Python.
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def functions(lines: Collection[str]) -> list[tuple[int, int, int]]:
    """Every function: its first line with decorators, the line of its `def`, its last line. None if it is no Python.

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
