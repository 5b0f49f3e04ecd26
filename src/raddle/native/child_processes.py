"""Extends the measurement of a program to its child processes.

* A forked child inherits the watch of its parent and resets it (see `Watch`).
* A new Python process inherits two environment variables. `RADDLE_RUN` holds the settings. `PYTHONPATH` begins with the
  folder `startup`, whose `sitecustomize` Python imports when it starts. That module removes its folder from `sys.path`,
  imports the `sitecustomize` module that it shadowed, and calls `start_inherited_watch`.

Some child processes are not measured: interpreters started with -I, -E or -S, processes started without these
variables, and interpreters in which raddle is not installed.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from raddle.errors import RaddleError
from raddle.native.enclosing_run import VARIABLE
from raddle.native.program import INTERRUPTED, fill_main, run_script
from raddle.native.settings import Settings
from raddle.native.shutdown import Shutdown
from raddle.native.watch import Watch

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")


def prepare_environment(settings: Settings) -> None:
    """Set the environment variables that make child processes measure themselves."""
    os.environ[VARIABLE] = settings.as_json()
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([FOLDER, before] if before else [FOLDER])


_inherited: list[Shutdown] = []  # at most one item: the shutdown of the inherited watch


def cancel_inherited_watch() -> None:
    """Cancel the inherited watch, because this process is a `raddle run` and starts its own."""
    while _inherited:
        _inherited.pop().cancel()


def start_inherited_watch() -> None:
    """Start a watch if the environment contains the settings of a run. Called when Python starts."""
    text = os.environ.get(VARIABLE)
    if not text:
        return
    try:
        watch = Settings.from_json(text).make_watch()
    except (ValueError, TypeError, RaddleError):
        return  # the variable was set by other software, or by another version of raddle
    # Explorations inside the program need these modules. The modules save the real primitives when they are imported,
    # so they must be imported before the watch replaces the primitives.
    for name in ("raddle.threads.patches", "raddle.execute.watchdog"):
        import_module(name)
    watch.start()
    shutdown = Shutdown(watch)
    shutdown.prepare()
    _inherited.append(shutdown)
    script = sys.argv[0] if sys.argv else ""
    if script.endswith((".py", ".pyw")) and os.path.isfile(script):
        sys.path_hooks.insert(0, _MainScript(os.path.abspath(script), watch, shutdown))


class _MainScript:
    """A path hook that instruments the main script of the process.

    Python passes the path of the script to the path hooks, because the script may be an archive with a `__main__`
    module. This hook accepts the script and provides code that runs it as Python would.
    """

    def __init__(self, path: str, watch: Watch, shutdown: Shutdown) -> None:
        self._path = path
        self._watch = watch
        self._shutdown = shutdown

    def __call__(self, path: str) -> _MainScript:
        if path != self._path:
            raise ImportError(path)
        sys.path_hooks.remove(self)
        return self

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, origin=self._path) if fullname == "__main__" else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, so that Python creates an ordinary module."""

    def is_package(self, fullname: str) -> bool:
        return False

    def get_code(self, fullname: str) -> CodeType:
        return compile("__loader__.run(globals())", self._path, "exec")

    def run(self, namespace: dict[str, Any]) -> None:
        sys.path_importer_cache.pop(self._path, None)
        if sys.path and sys.path[0] == self._path:
            del sys.path[0]
            if not sys.flags.safe_path:
                sys.path.insert(0, os.path.dirname(os.path.realpath(self._path)))
        fill_main(namespace, None, self._path)
        code = run_script(self._path, namespace, self._watch.hook)
        if code == INTERRUPTED:
            self._shutdown.interrupted = True
        if code:
            sys.exit(code)
