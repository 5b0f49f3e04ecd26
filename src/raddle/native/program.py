"""Runs a script, a module, or a folder or archive that contains a `__main__`, in this process and as Python would."""

from __future__ import annotations

import builtins
import importlib.util
import os
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from raddle import env
from raddle.errors import UsageError
from raddle.native.import_hook import WatchImportHook
from raddle.native.tracebacks import clean


@dataclass(frozen=True, slots=True)
class Program:
    """The program to run, with its arguments.

    >>> str(Program("app.py")), str(Program("pytest", is_module=True))
    ('app.py', '-m pytest')
    """

    name: str
    args: tuple[str, ...] = ()
    is_module: bool = False

    def __str__(self) -> str:
        return f"-m {self.name}" if self.is_module else self.name

    def check(self) -> None:
        """Raise `UsageError` if the script does not exist. Called before anything is patched."""
        if not self.is_module and not os.path.exists(self.name):
            raise UsageError("no-such-file", f"there is no file {self.name}")

    def run(self, hook: WatchImportHook) -> int:
        """Run the program as `__main__` and return its exit code."""
        sys.argv[:] = [self.name, *self.args]
        if self.is_module:
            code, spec = self._module()
            sys.argv[0] = spec.origin or self.name
            namespace = become_main(spec, spec.origin)
        elif _is_importable(self.name):
            folder = os.path.abspath(self.name)
            _set_first_path(folder, even_if_safe_path=True)
            code, spec = _code_and_spec("__main__", PathFinder.find_spec("__main__", [folder]), self.name)
            namespace = become_main(spec, spec.origin)
        else:
            _set_first_path(os.path.dirname(os.path.realpath(self.name)))
            path = os.path.abspath(self.name)
            return run_script(path, become_main(None, path), hook)
        return execute(code, namespace)

    def _module(self) -> tuple[CodeType, ModuleSpec]:
        _set_first_path(os.getcwd())
        try:
            spec = importlib.util.find_spec(self.name)
            if spec is not None and spec.submodule_search_locations is not None:
                spec = importlib.util.find_spec(f"{self.name}.__main__")
        except (ImportError, ValueError, AttributeError) as error:
            raise UsageError("no-such-module", f"{self.name} cannot be run: {error}") from None
        return _code_and_spec(self.name, spec, self.name)


def run_script(path: str, namespace: dict[str, Any], hook: WatchImportHook) -> int:
    """Run a file as the main program, instrumented if it is selected, and return the exit code."""
    try:
        code = hook.code_of_file(path, "__main__")
        if code is None:
            with open(path, "rb") as stream:
                code = compile(stream.read(), path, "exec", dont_inherit=True)
    except OSError as error:
        raise UsageError("no-such-file", f"{path} cannot be read: {error.strerror}") from None
    except (SyntaxError, ValueError):
        return _show_error()
    return execute(code, namespace)


def become_main(spec: ModuleSpec | None, path: str | None) -> dict[str, Any]:
    """Replace `__main__` with a new module, set up as Python sets it up, and return the module's namespace."""
    main = ModuleType("__main__")
    namespace = main.__dict__
    fill_main(namespace, spec, path)
    sys.modules["__main__"] = main
    return namespace


def fill_main(namespace: dict[str, Any], spec: ModuleSpec | None, path: str | None) -> None:
    """Set the module attributes that Python sets on `__main__`."""
    loader = spec.loader if spec is not None else SourceFileLoader("__main__", path or "")
    namespace.update(
        __name__="__main__",
        __file__=path,
        __spec__=spec,
        __loader__=loader,
        __package__=spec.parent if spec is not None else None,
        __builtins__=builtins,
    )
    if env.MODULES_HAVE_CACHED:
        namespace["__cached__"] = spec.cached if spec is not None else None
    if not env.ANNOTATIONS_ARE_DEFERRED:
        namespace["__annotations__"] = {}


def execute(code: CodeType, namespace: dict[str, Any]) -> int:
    """Run the code in the namespace and return the exit code that Python would return."""
    try:
        exec(code, namespace)
    except SystemExit as error:
        return _exit_code(error)
    except KeyboardInterrupt:
        _show_error()
        return INTERRUPTED
    except BaseException:
        return _show_error()
    return 0


INTERRUPTED = 130  # the exit code that shells report for a program killed by SIGINT


def _exit_code(error: SystemExit) -> int:
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code
    print(error.code, file=sys.stderr)
    return 1


def _show_error() -> int:
    """Print the current exception as Python does, without raddle's own frames."""
    kind, error, trace = sys.exc_info()
    assert kind is not None
    assert error is not None
    clean(error)
    trace = error.__traceback__
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace
    if env.HAS_LAST_EXC:
        sys.last_exc = error  # type: ignore[attr-defined] # only where HAS_LAST_EXC is true
    sys.excepthook(kind, error, trace)
    return 1


def _code_and_spec(name: str, spec: ModuleSpec | None, shown: str) -> tuple[CodeType, ModuleSpec]:
    loader: Any = spec.loader if spec is not None else None
    code = loader.get_code(spec.name) if spec is not None and hasattr(loader, "get_code") else None
    if spec is None or code is None:
        why = f"there is no module named {name}" if spec is None else f"{name} has no Python code"
        raise UsageError("no-such-module", f"{shown} cannot be run: {why}")
    return code, spec


def _is_importable(path: str) -> bool:
    """Return whether the path is a folder, or an archive that Python can import from."""
    return os.path.isdir(path) or os.path.splitext(path)[1] in (".zip", ".pyz", ".egg")


def _set_first_path(folder: str, *, even_if_safe_path: bool = False) -> None:
    """Put the program's folder first in `sys.path`, as Python does, unless Python runs with `-P`."""
    if sys.flags.safe_path and not even_if_safe_path:
        return
    if sys.path:
        sys.path[0] = folder
    else:
        sys.path.append(folder)
