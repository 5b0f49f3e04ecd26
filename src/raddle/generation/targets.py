"""Finds the classes that a target names: one class, or all classes of a module, file or folder that look shared."""

from __future__ import annotations

import ast
import difflib
import inspect
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from raddle.errors import UsageError
from raddle.execute.loading import load_module
from raddle.generation.package_classes import imported
from raddle.generation.sharing import methods_run_by_threads, sharing_of
from raddle.generation.surface import Sharing
from raddle.inspection import fields_of, module_of, name_of
from raddle.site import INSTALLED

_TEST_FILE = ("test_", "conftest")


@dataclass(frozen=True, slots=True)
class Target:
    """A class to generate tests for."""

    cls: type
    sharing: frozenset[Sharing] = frozenset()  # why the class looks as if it was meant to be shared


def find_targets(target: str) -> tuple[Target, ...]:
    """Return the classes that a target names.

    Args:
        target: `package.module:Class` or `file.py:Class` for one class. A module, file or folder stands for all of its
            public classes that look as if they were meant to be shared between threads.

    Raises:
        UsageError: If there is no such class, or if the target cannot be imported.

    >>> find_targets("queue:Queue")[0].cls
    <class 'queue.Queue'>
    >>> [target.cls.__name__ for target in find_targets("queue")]
    ['LifoQueue', 'PriorityQueue', 'Queue']
    """
    place, separator, name = target.partition(":")
    if separator:
        return (_named(load_module(place), name.lstrip(":"), place),)
    found = [*_in_folder(Path(target))] if os.path.isdir(target) else [*_shared_classes(load_module(target))]
    if not found:
        message = f"no public class in {target} looks as if it was meant to be shared; name a class: {target}:Class"
        raise UsageError("no-shared-class", message)
    return tuple(found)


def _named(module: ModuleType, name: str, place: str) -> Target:
    found: object = module
    for part in name.split("."):
        if not hasattr(found, part):
            classes = [name for name, value in vars(module).items() if inspect.isclass(value)]
            near = difflib.get_close_matches(name, classes, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError("no-such-class", f"{place} has no class {name!r}{hint}")
        found = getattr(found, part)
    if not inspect.isclass(found):
        raise UsageError("no-such-class", f"{place}:{name} is not a class: it is of type {type(found).__name__}")
    return Target(found, sharing_of(found))


def _in_folder(folder: Path) -> Iterator[Target]:
    """Yield the shared classes in all files of a folder. Files that cannot be imported are skipped."""
    files = [
        file
        for file in sorted(folder.rglob("*.py"))
        if not file.name.startswith(_TEST_FILE)
        and INSTALLED.isdisjoint(file.parts)
        and not any(part.startswith(".") or part == "tests" for part in file.relative_to(folder).parts)
    ]
    run_by_threads = frozenset().union(*(methods_run_by_threads(tree) for tree in map(_parsed, files)))
    seen: set[type] = set()
    for file in files:
        if file.name in ("setup.py", "__main__.py"):
            continue
        try:
            module = load_module(str(file))
        except UsageError:
            continue
        for target in _shared_classes(module, run_by_threads):
            if target.cls not in seen:
                seen.add(target.cls)
                yield target


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _shared_classes(module: ModuleType, run_by_threads: frozenset[str] = frozenset()) -> Iterator[Target]:
    """Yield the public classes that a module defines and that look shared, sorted by name."""
    if not run_by_threads and module.__file__ is not None:
        run_by_threads = methods_run_by_threads(_parsed(Path(module.__file__)))
    for name, cls in sorted(vars(module).items()):
        if not inspect.isclass(cls) or name.startswith("_") or name != name_of(cls) or imported(cls) is None:
            continue
        is_own = module_of(cls) == module.__name__
        if not is_own or issubclass(cls, (BaseException, Warning)):
            continue
        signs = sharing_of(cls)
        if not run_by_threads.isdisjoint(fields_of(cls)):
            signs |= {Sharing.USED_FROM_THREADS}
        if signs:
            yield Target(cls, signs)
