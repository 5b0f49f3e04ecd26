"""Lines that the user excludes from instrumentation with `# raddle: ignore`."""

from __future__ import annotations

import ast
import io
import re
import tokenize

_COMMENT = re.compile(r"#\s*raddle:\s*ignore\b")


def ignored_lines(source: str) -> frozenset[int]:
    """Return the numbers of the lines with a `# raddle: ignore` comment.

    >>> sorted(ignored_lines('a = 1  # raddle: ignore\\nb = "# raddle: ignore"\\n'))
    [1]
    """
    if not _COMMENT.search(source):  # avoids tokenizing, which would take most of the time for a small module
        return frozenset()
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return frozenset(
        token.start[0] for token in tokens if token.type == tokenize.COMMENT and _COMMENT.match(token.string)
    )


def is_ignored(node: ast.expr | ast.stmt, lines: frozenset[int]) -> bool:
    """Return whether an expression or simple statement starts or ends on an ignored line."""
    return bool(lines) and (node.lineno in lines or node.end_lineno in lines)


def header_is_ignored(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, lines: frozenset[int]) -> bool:
    """Return whether an ignored line lies between `def` or `class` and the first statement of the body."""
    if not lines:
        return False
    after = max(node.body[0].lineno, node.lineno + 1)
    return any(line in lines for line in range(node.lineno, after))
