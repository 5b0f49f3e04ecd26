"""Signs that a class is meant to be shared between threads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from raddle.generation.package_classes import class_tree
from raddle.generation.signatures import package_of
from raddle.generation.surface import Sharing
from raddle.inspection import fields_of, mro

_PRIMITIVES = frozenset(
    {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Event", "Barrier", "allocate_lock"}
)
_THREADS = re.compile(r"\bthread(?:s|ed|ing)?\b|\bthread-?safe|\bconcurren|\bsynchroni[sz]", re.IGNORECASE)
_STARTERS = frozenset({"Thread", "Timer", "submit", "start_new_thread", "apply_async", "map"})


def sharing_of(cls: type) -> frozenset[Sharing]:
    """Return why a class looks as if it was meant to be shared between threads.

    >>> import queue
    >>> sorted(sharing_of(queue.Queue))
    [<Sharing.HAS_LOCK: 'has a lock'>, <Sharing.MENTIONS_THREADS: 'mentions threads'>]
    """
    signs: set[Sharing] = set()
    for base in mro(cls):
        tree = class_tree(base) if base is not object and package_of(base) == package_of(cls) else None
        if tree is not None:
            signs.update(_signs_in(tree))
    if any(_is_lock(value) for value in fields_of(cls).values()):
        signs.add(Sharing.HAS_LOCK)
    return frozenset(signs)


def _is_lock(value: object) -> bool:
    return type(value).__module__ in ("_thread", "threading") and type(value).__name__.lstrip("_") in (
        *_PRIMITIVES,
        "lock",
    )


def _signs_in(tree: ast.ClassDef) -> Iterator[Sharing]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _last_name(node.func) in _PRIMITIVES:
            yield Sharing.HAS_LOCK
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _THREADS.search(node.value):
            yield Sharing.MENTIONS_THREADS
        if (
            isinstance(node, ast.Call)
            and _last_name(node.func) in _STARTERS
            and any(map(_is_own_method, _passed(node)))
        ):
            yield Sharing.USED_FROM_THREADS


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _passed(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_own_method(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def methods_run_by_threads(tree: ast.Module) -> frozenset[str]:
    """Return the names of the methods that a module passes to threads, such as `work` in `Thread(target=shop.work)`.

    >>> sorted(methods_run_by_threads(ast.parse("Thread(target=shop.work); pool.submit(print, 1)")))
    ['work']
    """
    return frozenset(
        value.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _last_name(node.func) in _STARTERS
        for value in _passed(node)
        if isinstance(value, ast.Attribute)
    )
