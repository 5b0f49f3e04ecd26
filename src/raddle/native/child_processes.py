"""Processes that a watched program starts are watched, too.

* A forked one goes on with the watch of its parent, which begins anew (`Watch`).
* Python started as a program finds two variables in its environment: RADDLE_RUN has the settings, and PYTHONPATH
  begins with a folder of ours that has a `sitecustomize`, which Python imports when it starts. It lets the one that
  would have been found without it come first, takes its folder from `sys.path`, and calls `begin`. What is not
  reached thereby: Python with -I, -E or -S, an environment without these variables, another Python without raddle.
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
    """Let processes started from now on know."""
    os.environ[VARIABLE] = settings.as_json()
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([FOLDER, before] if before else [FOLDER])


_inherited: list[Shutdown] = []  # in this process, by its parent's wish


def cancel_inherited_watch() -> None:
    """The process is itself about to run a program: that is the one to be watched."""
    while _inherited:
        _inherited.pop().cancel()


def begin() -> None:
    """Called at the start of Python in such a process."""
    text = os.environ.get(VARIABLE)
    if not text:
        return
    try:
        watch = Settings.from_json(text).make_watch()
    except (ValueError, TypeError, RaddleError):
        return  # the variable is somebody else's, or another raddle's
    for name in (
        "raddle.threads.patches",
        "raddle.execute.watchdog",
    ):  # for explorations inside: they keep real primitives,
        import_module(name)  # so they must not be imported when the watch has put its own in their place
    watch.start()
    shutdown = Shutdown(watch)
    shutdown.prepare()
    _inherited.append(shutdown)
    script = sys.argv[0] if sys.argv else ""
    if script.endswith((".py", ".pyw")) and os.path.isfile(script):
        sys.path_hooks.insert(0, _MainScript(os.path.abspath(script), watch, shutdown))


class _MainScript:
    """Lets the main script of the process have probes.

    Python asks the hooks of `sys.path` whether the script can be imported from, as an archive with a `__main__`
    can. This one says yes, and gives code that runs the script as Python would have.
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
        """An ordinary one."""

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
