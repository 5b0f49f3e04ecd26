"""Programs: scripts that every rank executes, with modules of its own."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any, Protocol


class Compiler(Protocol):
    """Compiles the source files of a program; instrumentation replaces the default."""

    def __call__(self, source: str, filename: str) -> CodeType:
        """Return the code of a module."""


def compile_plainly(source: str, filename: str) -> CodeType:
    """Compile a source file without instrumentation."""
    code: CodeType = compile(source, filename, "exec", dont_inherit=True)
    return code


@dataclass(frozen=True, slots=True)
class Script:
    """A program file and its arguments.

    Modules below the folder of the file belong to the program, so each rank gets its own copies of them.
    """

    path: str
    arguments: tuple[str, ...] = ()
    file: str = field(init=False)  # the absolute path, which stays valid if a rank changes its working directory

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", str(Path(self.path).resolve()))

    @property
    def folder(self) -> str:
        """The folder of the file, which Python puts in front of its search path."""
        return str(Path(self.file).parent)


class CodeCache:
    """The compiled source files of a program, shared by all ranks and executions."""

    def __init__(self, compiler: Compiler = compile_plainly) -> None:
        self._compiler = compiler
        self._codes: dict[str, CodeType] = {}

    def code(self, filename: str) -> CodeType:
        """Return the code of a file; raise `OSError` or `SyntaxError` if it cannot be compiled."""
        code = self._codes.get(filename)
        if code is None:
            source = importlib.util.decode_source(Path(filename).read_bytes())
            code = self._codes[filename] = self._compiler(source, filename)
        return code


class _CachedLoader(importlib.abc.Loader):
    """Loads a module of the program from the cache."""

    def __init__(self, cache: CodeCache, filename: str) -> None:
        self._cache = cache
        self._filename = filename

    def exec_module(self, module: types.ModuleType) -> None:
        exec(self._cache.code(self._filename), vars(module))

    def get_filename(self, fullname: str) -> str:
        """Return the file of the module."""
        return self._filename


class ProgramFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of a program, so that they are compiled only once and can be instrumented."""

    def __init__(self, folder: str, cache: CodeCache) -> None:
        self._folder = folder
        self._cache = cache
        self._path_finder = importlib.machinery.PathFinder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module below the program's folder; None for other modules."""
        spec = self._path_finder.find_spec(fullname, [self._folder] if path is None else list(path), target)
        origin = None if spec is None else spec.origin
        if spec is None or origin is None or not origin.endswith(".py") or not is_below(origin, self._folder):
            return None
        found = importlib.util.spec_from_file_location(
            fullname,
            origin,
            loader=_CachedLoader(self._cache, origin),
            submodule_search_locations=spec.submodule_search_locations,
        )
        if found is not None:
            found.cached = None
        return found


def is_below(filename: str, folder: str) -> bool:
    """Return whether a file is in a folder or one of its subfolders, other than installed packages."""
    inside = filename.startswith(folder.rstrip("/") + "/")
    return inside and "site-packages" not in filename[len(folder) :].split("/")


def run_script(script: Script, cache: CodeCache) -> dict[str, Any]:
    """Execute a script as the module `__main__` of the running rank; return its namespace."""
    main = types.ModuleType("__main__")
    main.__file__ = script.file
    main.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = main
    exec(cache.code(script.path), vars(main))
    return vars(main)
