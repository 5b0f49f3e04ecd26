"""Roles: which part of a program each rank runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from raddle.errors import UsageError
from raddle.pcfg.control_flow import rank_test
from raddle.pcfg.known import rank_names
from raddle.pcfg.program import Program

_ROLE = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)\(([0-9,\- ]+)\)")


@dataclass(frozen=True, slots=True)
class Role:
    """The part of a program that some ranks run: one function, or the whole module."""

    name: str
    ranks: tuple[int, ...]
    function: str = ""  # the key of the function; "" for the module

    def label(self, rank: int) -> str:
        """Return the name of a process, such as "master" or "worker 2"."""
        return self.name if len(self.ranks) == 1 and self.name != RANK else f"{self.name} {rank}"


RANK = "rank"  # the name of roles that no function gives a name


def parse_roles(text: str, size: int) -> list[tuple[str, tuple[int, ...]]]:
    """Return the names of roles and their ranks.

    >>> parse_roles("master(0) worker(1-3)", 4)
    [('master', (0,)), ('worker', (1, 2, 3))]
    """
    found = [(match[1], tuple(_ranks(match[2], text))) for match in _ROLE.finditer(text)]
    if not found or _ROLE.sub("", text).strip():
        raise UsageError("bad-roles", f"roles must look like 'master(0) worker(1-3)', not {text!r}")
    given = sorted(rank for _, ranks in found for rank in ranks)
    if given != list(range(size)):
        raise UsageError("bad-roles", f"roles must name each rank from 0 to {size - 1} once; {text!r} names {given}")
    return found


def _ranks(text: str, roles: str) -> Iterator[int]:
    for part in text.replace(" ", "").split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise UsageError("bad-roles", f"{part!r} in {roles!r} is neither a rank nor a range of ranks")
        yield from range(int(first), int(last if dash else first) + 1)


def make_roles(program: Program, size: int, text: str | None) -> list[Role]:
    """Return the roles of a program with `size` ranks; without `text`, find them in the source."""
    if text is not None:
        return [Role(name, ranks, program.main_function(name)) for name, ranks in parse_roles(text, size)]
    inferred = _inferred(program, size)
    by_function: dict[str, list[int]] = {}
    for rank, function in enumerate(inferred):
        by_function.setdefault(function, []).append(rank)
    return [
        Role(function.rpartition(":")[2] if function else RANK, tuple(ranks), function)
        for function, ranks in by_function.items()
    ]


def _inferred(program: Program, size: int) -> list[str]:
    """Return the function that each rank runs because of a statement such as `if rank == 0: master()`; "" if none."""
    file = program.main
    names = rank_names(file.tree)
    for statement in file.main_body:
        if isinstance(statement, ast.If) and rank_test(statement.test, names) is not None:
            return [_only_call(program, _branch(statement, rank, names)) for rank in range(size)]
    return [""] * size


def _branch(statement: ast.If, rank: int, names: frozenset[str]) -> list[ast.stmt]:
    """Return the branch of a chain of comparisons that a rank takes."""
    number = rank_test(statement.test, names)
    if number is None or number == rank:
        return statement.body if number == rank else [statement]
    rest = statement.orelse
    return _branch(rest[0], rank, names) if len(rest) == 1 and isinstance(rest[0], ast.If) else rest


def _only_call(program: Program, body: list[ast.stmt]) -> str:
    """Return the key of the function that a branch calls, if it does nothing else."""
    if len(body) == 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Call):
        called = program.resolver(program.main, "<module>")(body[0].value)
        return "" if called is None else called.function
    return ""
