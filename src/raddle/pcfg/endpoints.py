"""Endpoints of a transfer: the rank or the tag that a call names."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Naming(StrEnum):
    """How a call names a rank or a tag."""

    LITERAL = "literal"  # an integer in the source
    ANY = "any"  # ANY_SOURCE or ANY_TAG, or nothing
    NULL = "null"  # PROC_NULL
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The rank or the tag that a call names."""

    naming: Naming
    value: int = 0  # for literals
    text: str = ""  # the source of the expression

    @classmethod
    def of(cls, expression: ast.expr | None, default: Endpoint) -> Endpoint:
        """Return the endpoint that an argument stands for; `default` if the argument is missing.

        >>> Endpoint.of(ast.parse("MPI.ANY_SOURCE", mode="eval").body, ANY).naming.value
        'any'
        """
        if expression is None:
            return default
        value = literal(expression)
        if value is not None:
            return cls(Naming.LITERAL, value, str(value))
        text = ast.unparse(expression)
        name = text.rpartition(".")[2]
        if name in ("ANY_SOURCE", "ANY_TAG"):
            return cls(Naming.ANY, text=text)
        return cls(Naming.NULL if name == "PROC_NULL" else Naming.COMPUTED, text=text)

    def evaluated(self, known: Mapping[str, int]) -> int | None:
        """Return the value, given those of some names and attributes; None if it is not known."""
        if self.naming is Naming.LITERAL:
            return self.value
        if self.naming is not Naming.COMPUTED:
            return None
        return evaluate(ast.parse(self.text, mode="eval").body, known)


ANY = Endpoint(Naming.ANY)
ZERO = Endpoint(Naming.LITERAL, 0, "0")
NOWHERE = Endpoint(Naming.NULL)


def literal(expression: ast.expr) -> int | None:
    """Return the value of an integer literal; None for other expressions."""
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
        value = literal(expression.operand)
        return None if value is None else -value
    is_number = isinstance(expression, ast.Constant) and type(expression.value) is int
    return expression.value if is_number else None  # type: ignore[attr-defined]


def evaluate(expression: ast.expr, known: Mapping[str, int]) -> int | None:
    """Return the value of integer arithmetic; None if a part of it is not known.

    >>> evaluate(ast.parse("(rank + 1) % comm.size", mode="eval").body, {"rank": 3, "comm.size": 4})
    0
    """
    if isinstance(expression, ast.BinOp):
        left, right = evaluate(expression.left, known), evaluate(expression.right, known)
        return None if left is None or right is None else _computed(expression.op, left, right)
    value = literal(expression)
    return known.get(ast.unparse(expression)) if value is None else value


def _computed(operator: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operator, (ast.Mod, ast.FloorDiv)) and right == 0:
        return None
    if isinstance(operator, ast.Mod):
        return left % right
    if isinstance(operator, ast.FloorDiv):
        return left // right
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    return left ^ right if isinstance(operator, ast.BitXor) else None
