"""References: picklable values from which another process obtains a function.

A function that can be imported is referred to by module and name. Any other function, such as a closure or a partial,
is stored here for processes forked from this one.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from raddle.errors import UsageError
from raddle.execute.fork import can_fork
from raddle.exploring.units import Function

# Functions that cannot be pickled. Forked processes inherit this dictionary and look up the functions in it.
_inheritable: dict[int, Function] = {}


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """A function that can be imported from a module by name.

    >>> NamedFunction("threading", "main_thread").load()().name
    'MainThread'
    """

    module: str
    name: str  # qualified name, with dots if the function belongs to a class
    folder: str = ""  # directory that must be on `sys.path` to import the module

    def load(self) -> Function:
        """Import and return the function."""
        if self.module not in sys.modules and self.folder and self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        found: Any = importlib.import_module(self.module)
        for part in self.name.split("."):
            found = getattr(found, part)
        return found  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class InheritedFunction:
    """A function that is inherited by processes forked within a `reference_to` context."""

    number: int

    def load(self) -> Function:
        """Return the inherited function."""
        return _inheritable[self.number]


Reference = NamedFunction | InheritedFunction


@contextmanager
def reference_to(function: Function, *, forked: bool = True) -> Iterator[Reference]:
    """Yield a reference to a function. The reference is valid only within the context.

    `forked` says whether the workers are forked.

    >>> with reference_to(lambda: 6 * 7) as reference:
    ...     reference.load()()
    42
    """
    named = _by_name(function)
    if named is not None:
        yield named
        return
    if not forked or not can_fork():
        name = getattr(function, "__qualname__", repr(function))
        why = "this system cannot fork" if forked else "the workers of an executor cannot inherit it"
        raise UsageError(
            "bad-workers",
            f"{name} cannot be imported by name, and {why}: use a module-level function, or drop `workers`",
        )
    number = max(_inheritable, default=0) + 1
    _inheritable[number] = function
    try:
        yield InheritedFunction(number)
    finally:
        del _inheritable[number]


def _by_name(function: Function) -> NamedFunction | None:
    """Return a reference by module and name, or None if the function cannot be looked up that way."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if not module or not name or "<" in name or module == "__main__":
        return None
    found: Any = sys.modules.get(module)
    file = getattr(found, "__file__", None)
    for part in name.split("."):
        found = getattr(found, part, None)
    return NamedFunction(module, name, _folder(module, file)) if found is function else None


def _folder(module: str, file: str | None) -> str:
    """Return the directory that contains the module's outermost package, or the module if it is in no package."""
    if file is None:
        return ""
    levels = module.count(".") + (os.path.basename(file) == "__init__.py")
    folder = os.path.dirname(os.path.abspath(file))
    for _ in range(levels):
        folder = os.path.dirname(folder)
    return folder
