"""Values that are known from the source: ranks, the number of ranks, and constants."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from raddle.pcfg.endpoints import evaluate
from raddle.pcfg.names import defined

_WORLD = "COMM_WORLD"


def _world_names(tree: ast.Module) -> set[str]:
    """Return the expressions that stand for the communicator of all ranks."""
    names = {f"MPI.{_WORLD}", f"mpi4py.MPI.{_WORLD}", _WORLD}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.value) in names:
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _texts(tree: ast.Module, attribute: str, method: str) -> frozenset[str]:
    texts = {f"{name}.{attribute}" for name in _world_names(tree)}
    texts |= {f"{name}.{method}()" for name in _world_names(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.value) in texts:
            texts |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return frozenset(texts)


def rank_names(tree: ast.Module) -> frozenset[str]:
    """Return the expressions that stand for the rank of the process.

    >>> names = rank_names(ast.parse("comm = MPI.COMM_WORLD\\nme = comm.Get_rank()"))
    >>> "me" in names, "comm.rank" in names, "other.rank" in names
    (True, True, False)
    """
    return _texts(tree, "rank", "Get_rank")


def size_names(tree: ast.Module) -> frozenset[str]:
    """Return the expressions that stand for the number of ranks."""
    return _texts(tree, "size", "Get_size")


def constants(bodies: Iterable[list[ast.stmt]], known: dict[str, int]) -> dict[str, int]:
    """Return the integers that variables always have, because they are assigned only once.

    `known` holds the values known before, and `bodies` the statements of the enclosing scopes, outermost first.

    >>> constants([ast.parse("right = (rank + 1) % size").body], {"rank": 3, "size": 4})["right"]
    0
    """
    result = dict(known)
    for body in bodies:
        times = Counter(name for statement in body for name in _assigned(statement))
        for name, count in times.items():
            if count > 1:
                result.pop(name, None)
        for statement in body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name, value = statement.targets[0].id, evaluate(statement.value, result)
                if times[name] == 1 and value is not None:
                    result[name] = value
                elif name not in known:
                    result.pop(name, None)
    return result


def _assigned(statement: ast.stmt) -> Iterator[str]:
    """Yield the variables that a statement assigns, once for each assignment."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Assign):
            yield from (name for target in node.targets for name in defined(target))
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor, ast.NamedExpr)):
            yield from defined(node.target)
