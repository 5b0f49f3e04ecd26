"""Imports the modules that the user names, by file or by module name."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import keyword
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from raddle.checks.crash import is_raddle_file
from raddle.errors import UsageError
from raddle.execute.process_exits import ProcessExitError, exits_refused

_MAX_OUTER = 3  # folders outside the outermost package that may become part of a module's name


def load_module(place: str) -> ModuleType:
    """Import the module in a file, or the module with a name; raise a `UsageError` that explains any failure.

    >>> load_module("json.decoder").__name__
    'json.decoder'
    """
    is_path = place.endswith(".py") or os.sep in place or (os.path.isdir(place) and not _is_package_name(place))
    return _load_file(Path(place)) if is_path else _load_by_name(place)


def _is_package_name(name: str) -> bool:
    """Return whether Python finds a regular package or module with this name, not only a folder."""
    if os.path.isfile(os.path.join(name, "__init__.py")):
        return True
    with suppress(ImportError, ValueError, AttributeError):
        spec = importlib.util.find_spec(name)
        return spec is not None and spec.origin is not None
    return False


def _load_file(path: Path) -> ModuleType:
    if path.is_dir() and (path / "__init__.py").is_file():
        path /= "__init__.py"
    if path.is_dir():
        raise UsageError("no-such-file", f"{path} is a folder; name a file in it")
    if not path.is_file():
        raise UsageError("no-such-file", f"there is no file {path}")
    path = path.resolve()
    # As in pytest, the module name is relative to the nearest parent folder that is not a package.
    root, parts = path.parent, [path.stem]
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    name = ".".join(part for part in parts if part != "__init__")
    module = _import(name, str(path))
    return module if _is_from(module, path) else _load_under_another_name(path, root, name)


def _is_from(module: ModuleType, path: Path) -> bool:
    return os.path.realpath(getattr(module, "__file__", None) or "") == str(path)


def _load_under_another_name(path: Path, root: Path, name: str) -> ModuleType:
    """Import a file although another module has its name.

    If possible, the new name contains the folders around the file, so that other modules can import it by this name.
    """
    for outer, longer in _longer_names(root, name):
        sys.path.append(str(outer))  # at the end, so that this folder hides no other module
        with suppress(ImportError, ValueError, AttributeError):
            spec = importlib.util.find_spec(longer)
            if spec is not None and os.path.realpath(spec.origin or "") == str(path):
                return _import(longer, str(path))
        sys.path.remove(str(outer))
    digest = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    spec = importlib.util.spec_from_file_location(f"{name}_at_{digest}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    _guarded(lambda: spec.loader.exec_module(module), str(path))  # type: ignore[union-attr]
    return module


def _longer_names(root: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Yield names that begin with the folders around a module, each with the folder that must be on the path."""
    for _ in range(_MAX_OUTER):
        if not root.name.isidentifier() or keyword.iskeyword(root.name):
            return
        root, name = root.parent, f"{root.name}.{name}"
        yield root, name


def _load_by_name(name: str) -> ModuleType:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return _import(name, name)


def _import(name: str, shown: str) -> ModuleType:
    found = _guarded(lambda: importlib.import_module(name), shown)
    assert isinstance(found, ModuleType)
    return found


def _guarded(load: Callable[[], Any], shown: str) -> Any:
    try:
        with exits_refused():
            return load()
    except SyntaxError as error:
        where = f"{error.filename}:{error.lineno}" if error.filename else shown
        raise UsageError("syntax-error", f"{where} is not valid Python: {error.msg}") from None
    except ModuleNotFoundError as error:
        raise UsageError("import-failed", f"{shown} cannot be imported: {error}") from None
    except ProcessExitError as error:
        raise UsageError("import-failed", f"{shown} cannot be imported: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        lines = traceback.TracebackException.from_exception(error)
        lines.stack = traceback.StackSummary.from_list(
            [f for f in lines.stack if not is_raddle_file(f.filename) and "importlib" not in f.filename]
        )
        raise UsageError("import-failed", f"{shown} cannot be imported:\n{''.join(lines.format())}".rstrip()) from None
