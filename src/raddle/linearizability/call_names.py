"""Names of calls, as messages show them: the body of a lambda, or the name of a function."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType

from raddle.inspection import function_name, unwrapped
from raddle.linearizability.concurrent_calls import CallOn

LONGEST = 60  # maximum number of characters of a name


def call_name(call: CallOn) -> str:
    """Return the source of a lambda's body, or the name of a function with parentheses.

    Functions must be named before their modules are instrumented, because their positions change then.

    >>> call_name(len)
    'len()'
    """
    function = unwrapped(call)
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType) and code.co_name == "<lambda>":
        return _body(code) or "lambda"
    return f"{function_name(call).rpartition('.')[2]}()"


def _body(code: CodeType) -> str:
    """Return the source of a lambda's body in one line; "" if the source is not available."""
    source = "".join(linecache.getlines(code.co_filename))
    found = [node for node in _lambdas(source) if node.lineno == code.co_firstlineno and _has(node.body, code)]
    if len(found) != 1:
        return ""
    text = " ".join((ast.get_source_segment(source, found[0].body) or "").split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


@lru_cache(maxsize=16)
def _lambdas(source: str) -> tuple[ast.Lambda, ...]:
    try:
        return tuple(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Lambda))
    except SyntaxError:
        return ()


def _has(body: ast.expr, code: CodeType) -> bool:
    """Return whether the instructions of the code lie within the body of a lambda, and reach its end."""
    begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    positions = list(_positions(code))
    return all(begin <= first and last <= end for first, last in positions) and any(
        last == end for _, last in positions
    )


def _positions(code: CodeType) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where the source of each instruction begins and ends."""
    for line, end_line, column, end_column in code.co_positions():
        if line is not None and end_line is not None and column is not None and end_column is not None and end_column:
            yield (line, column), (end_line, end_column)
