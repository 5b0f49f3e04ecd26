"""A reference: a function as a value that another process makes the function from.

What a module has under a name is named. Anything else, a closure or a partial, is kept here for processes that are
forked from this one.
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

# The only way to hand to a forked process what cannot be pickled: it finds it where it was when it was forked.
_kept: dict[int, Function] = {}


@dataclass(frozen=True, slots=True)
class Named:
    """What a module has under a name.

    >>> Named("threading", "main_thread").load()().name
    'MainThread'
    """

    module: str
    name: str  # with dots where it is in a class
    folder: str = ""  # that has to be on the path for the module to be found

    def load(self) -> Function:
        """The function itself."""
        if self.module not in sys.modules and self.folder and self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        found: Any = importlib.import_module(self.module)
        for part in self.name.split("."):
            found = getattr(found, part)
        return found  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Inherited:
    """What processes have that were forked while it was kept."""

    number: int

    def load(self) -> Function:
        """The function itself."""
        return _kept[self.number]


Reference = Named | Inherited


@contextmanager
def referred(function: Function, *, forked: bool = True) -> Iterator[Reference]:
    """Yield a reference that can be used meanwhile, by processes that are `forked` from this one or not.

    >>> with referred(lambda: 6 * 7) as reference:
    ...     reference.load()()
    42
    """
    named = _named(function)
    if named is not None:
        yield named
        return
    if not forked or not can_fork():
        name = getattr(function, "__qualname__", repr(function))
        why = "this system cannot fork" if forked else "other workers cannot inherit it"
        raise UsageError(
            "bad-workers",
            f"{name} cannot be named, and {why}: write a function at the top of a module, or leave workers away",
        )
    number = max(_kept, default=0) + 1
    _kept[number] = function
    try:
        yield Inherited(number)
    finally:
        del _kept[number]


def _named(function: Function) -> Named | None:
    """By its module and name, if it is there."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if not module or not name or "<" in name or module == "__main__":
        return None
    found: Any = sys.modules.get(module)
    file = getattr(found, "__file__", None)
    for part in name.split("."):
        found = getattr(found, part, None)
    return Named(module, name, _folder(module, file)) if found is function else None


def _folder(module: str, file: str | None) -> str:
    """Where the module's outermost package lies, or the module itself."""
    if file is None:
        return ""
    levels = module.count(".") + (os.path.basename(file) == "__init__.py")
    folder = os.path.dirname(os.path.abspath(file))
    for _ in range(levels):
        folder = os.path.dirname(folder)
    return folder
