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
from raddle.generation.expressions import Imported
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
    name: Imported | None = None  # how the user has named the class


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file in a folder that could not be imported, so that its classes are unknown."""

    file: str
    reason: str  # one line


@dataclass(frozen=True, slots=True)
class Targets:
    """The classes that a target names."""

    classes: tuple[Target, ...]
    skipped: tuple[SkippedFile, ...] = ()


def find_targets(target: str) -> tuple[Target, ...]:
    """Return the classes that a target names; see `search_target`.

    >>> find_targets("queue:Queue")[0].cls
    <class 'queue.Queue'>
    """
    return search_target(target).classes


def search_target(target: str) -> Targets:
    """Return the classes that a target names, and the files that could not be imported.

    Args:
        target: `package.module:Class` or `file.py:Class` for one class. A module, file or folder stands for all of its
            public classes that look as if they were meant to be shared between threads.

    Raises:
        UsageError: If there is no such class, or if the target cannot be imported.

    >>> [target.cls.__name__ for target in search_target("queue").classes]
    ['LifoQueue', 'PriorityQueue', 'Queue']
    """
    place, separator, name = target.partition(":")
    if separator:
        return Targets((_named(load_module(place), name.lstrip(":"), place),))
    found = _in_folder(Path(target)) if os.path.isdir(target) else Targets((*_shared_classes(load_module(target)),))
    if not found.classes:
        message = f"no public class in {target} looks as if it was meant to be shared; name a class: {target}:Class"
        if found.skipped:
            message += "".join(f"\n{one.file}: {one.reason}" for one in found.skipped)
        raise UsageError("no-shared-class", message)
    return found


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
    return Target(found, sharing_of(found), Imported(module.__name__, name))


def _in_folder(folder: Path) -> Targets:
    """Return the shared classes in all files of a folder."""
    files = [
        file
        for file in sorted(folder.rglob("*.py"))
        if not file.name.startswith(_TEST_FILE)
        and INSTALLED.isdisjoint(file.parts)
        and not any(part.startswith(".") or part == "tests" for part in file.relative_to(folder).parts)
    ]
    run_by_threads = frozenset().union(*(methods_run_by_threads(tree) for tree in map(_parsed, files)))
    found: dict[type, Target] = {}
    skipped: list[SkippedFile] = []
    for file in files:
        if file.name in ("setup.py", "__main__.py"):
            continue
        try:
            module = load_module(str(file))
        except UsageError as error:
            skipped.append(SkippedFile(str(file), _one_line(str(error), file)))
            continue
        for target in _shared_classes(module, run_by_threads):
            found.setdefault(target.cls, target)
    return Targets(tuple(found.values()), tuple(skipped))


def _one_line(message: str, file: Path) -> str:
    """Return the reason why a file cannot be imported, without the file and without the traceback.

    >>> _one_line("/home/me/shop.py cannot be imported:\\nTraceback ...\\nOSError: no disk", Path("/home/me/shop.py"))
    'it cannot be imported: OSError: no disk'
    """
    first, _, rest = message.partition("\n")
    text = f"{first} {rest.strip().rpartition(chr(10))[2]}".strip()
    text = text.removeprefix(str(file.resolve()))
    return f"it{text}" if text.startswith(" ") else f"line {text[1:]}" if text.startswith(":") else text


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
