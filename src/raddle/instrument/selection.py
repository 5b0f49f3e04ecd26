"""Decides which modules are instrumented, and gives a reason for each decision."""

from __future__ import annotations

import functools
import os
import sysconfig
from dataclasses import dataclass, field
from typing import NamedTuple

from raddle.site import INSTALLED, real_path

_NEVER = ("raddle", "raddle_pytest", "greenlet")
PROJECT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")  # files and folders that mark the root of a project


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a module is instrumented, and why."""

    selected: bool
    why: str

    def __bool__(self) -> bool:
        return self.selected


_NEEDED_BY_RADDLE = Verdict(False, "raddle itself depends on it")
_HAS_NO_SOURCE = Verdict(False, "it has no Python source")


class _Source(NamedTuple):
    """A requested source, and the file or folder that it names."""

    name: str
    file: str = ""  # real path, if the source is a file
    folder: str = ""  # real path, if the source is a folder


@dataclass(frozen=True, slots=True)
class Selection:
    """Selects the modules named by `sources`; if there are none, selects the modules of the project in `root`.

    A source is a package, a module, a folder or a file.

    >>> select = Selection(root="/home/me/shop")
    >>> select("shop.cart", "/home/me/shop/shop/cart.py")
    Verdict(selected=True, why='it is in /home/me/shop')
    >>> select("greenlet", "/home/me/shop/greenlet.py").why
    'raddle itself depends on it'
    """

    sources: tuple[str, ...] = ()
    root: str = "."
    _root: _Source = field(init=False, repr=False, compare=False)
    _found: tuple[_Source, ...] = field(init=False, repr=False, compare=False)  # resolved once, not per module

    def __post_init__(self) -> None:
        root = _Source(self.root, folder=os.path.realpath(self.root))
        object.__setattr__(self, "_root", root)
        object.__setattr__(self, "_found", tuple(map(_find, self.sources)))

    def __call__(self, name: str, path: str | None) -> Verdict:
        if name.partition(".")[0] in _NEVER:
            return _NEEDED_BY_RADDLE
        if path is None or not path.endswith((".py", ".pyw")):
            return _HAS_NO_SOURCE
        path = real_path(path)
        if self.sources:
            return self._among_sources(name, path)
        return _in_folder(path, self._root)

    def _among_sources(self, name: str, path: str) -> Verdict:
        for source in self._found:
            if name == source.name or path == source.file or name.startswith(f"{source.name}."):
                return Verdict(True, f"it matches the source {source.name}")
            if source.folder and (verdict := _in_folder(path, source)):
                return verdict
        return Verdict(False, f"it is not in {', '.join(self.sources)}")


def _find(source: str) -> _Source:
    if os.path.isfile(source):
        return _Source(source, file=os.path.realpath(source))
    return _Source(source, folder=os.path.realpath(source) if os.path.isdir(source) else "")


@functools.lru_cache(maxsize=10_000)
def _in_folder(path: str, source: _Source) -> Verdict:
    """Return whether a file is in the folder of a source. Packages installed below the folder do not count.

    The result is cached because each exploration checks all modules.
    """
    real, folder = source.folder, source.name
    if not _is_inside(path, real):
        return Verdict(False, f"it is not in {folder}")
    inner = os.path.relpath(path, real).split(os.sep)[:-1]
    if not INSTALLED.isdisjoint(inner):
        return Verdict(False, "it is an installed package")
    if any(_is_inside(path, library) and not _is_inside(real, library) for library in _standard_library()):
        return Verdict(False, "it belongs to the standard library")
    between = [os.path.join(real, *inner[: depth + 1]) for depth in range(len(inner))]
    if any(os.path.isfile(os.path.join(inside, "pyvenv.cfg")) for inside in between):
        return Verdict(False, "it is in a virtual environment")
    return Verdict(True, f"it is in {folder}")


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep) or path == folder


def in_standard_library(path: str) -> bool:
    """Return whether a file belongs to the standard library and not to a package installed below it.

    >>> import threading
    >>> in_standard_library(threading.__file__), in_standard_library("<frozen os>"), in_standard_library(__file__)
    (True, True, False)
    """
    if path.startswith("<frozen "):
        return True
    real = real_path(path)
    return INSTALLED.isdisjoint(real.split(os.sep)) and any(_is_inside(real, one) for one in _standard_library())


@functools.cache
def _standard_library() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple(os.path.realpath(paths[kind]) for kind in ("stdlib", "platstdlib"))
