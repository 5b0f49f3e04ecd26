"""Isolation: what belongs to one rank alone, although all ranks share a process.

Ranks of a real MPI program are processes. Here, the process-wide state of a rank is put in place whenever the rank
continues: the modules of the program, `random`, `sys.argv`, `os.environ` and the working directory.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable

from raddle.mpi.program import Script, is_below
from raddle.mpi.random_module import RankRandom, random_module


class ProcessState:
    """The process-wide state of one rank."""

    def __init__(self, rank: int, script: Script, environment: os._Environ[str], cwd: str, seed: int) -> None:
        self.modules: dict[str, types.ModuleType] = {}
        self.argv = [script.path, *script.arguments]
        self.environment = _copied(environment)
        self.cwd = cwd
        self.seed = seed * 1_000_003 + rank
        self.bit_generator: object = None


def _copied(environment: os._Environ[str]) -> os._Environ[str]:
    copy = object.__new__(os._Environ)
    vars(copy).update(vars(environment))
    copy._data = dict(environment._data)  # type: ignore[attr-defined]
    return copy


class Isolation:
    """Puts the state of the running rank in place."""

    def __init__(self, script: Script, size: int, seed: int) -> None:
        self._script = script
        self._size = size
        self._seed = seed
        self._states: list[ProcessState] = []
        self._running = 0
        self._random = RankRandom(lambda: self._running, seed)
        self._program_modules: set[str] = {"__main__"}
        self._known_modules = 0  # number of modules when they were last examined
        self._chdir = os.chdir
        self._moved = False  # True if some rank has changed its working directory

    def install(self, undo: Callable[[Callable[[], None]], object]) -> None:
        """Prepare the process; `undo` is called with functions that restore its state."""
        self._cwd = os.getcwd()
        self._environ = os.environ
        kept = {name: module for name, module in sys.modules.items() if self._is_own(name, module)}
        kept["__main__"], kept["random"] = sys.modules["__main__"], sys.modules["random"]
        argv = sys.argv

        def restore() -> None:
            self._remove_modules()
            sys.modules.update(kept)
            sys.argv = argv
            os.environ = self._environ  # noqa: B003 -- as in `_put`
            os.chdir = self._chdir
            if self._moved:
                os.chdir(self._cwd)

        undo(restore)
        self._program_modules.update(kept.keys() - {"random"})
        sys.modules["random"] = random_module(self._random)
        os.chdir = self._record_chdir

    def used_random(self) -> bool:
        """Return whether a rank has drawn random numbers."""
        self._random.begin()
        return self._random.is_used

    def begin(self) -> None:
        """Begin an execution, with the state of rank 0 in place."""
        self._remove_modules()
        self._random.begin()
        if self._moved:
            self._chdir(self._cwd)
            self._moved = False
        self._states = [
            ProcessState(rank, self._script, self._environ, self._cwd, self._seed) for rank in range(self._size)
        ]
        self._running = 0
        self._put(self._states[0])

    def switched(self, rank: int) -> None:
        """Put the state of a rank in place, and keep that of the rank that ran before."""
        before = self._states[self._running]
        before.modules = self._remove_modules()
        before.argv = sys.argv
        numpy_random = sys.modules.get("numpy.random")
        if numpy_random is not None:
            before.bit_generator = numpy_random.get_bit_generator()
        self._running = rank
        self._put(self._states[rank])

    def _put(self, state: ProcessState) -> None:
        sys.modules.update(state.modules)
        sys.argv = state.argv
        os.environ = state.environment  # noqa: B003 -- the variables of each rank are kept in an object of their own
        if self._moved:
            self._chdir(state.cwd)
        numpy_random = sys.modules.get("numpy.random")
        if numpy_random is not None:
            if state.bit_generator is None:
                state.bit_generator = numpy_random.MT19937(state.seed)
            numpy_random.set_bit_generator(state.bit_generator)

    def _remove_modules(self) -> dict[str, types.ModuleType]:
        """Remove the modules of the program from `sys.modules`, and return them."""
        modules = sys.modules
        if len(modules) != self._known_modules:
            self._program_modules.update(name for name, one in list(modules.items()) if self._is_own(name, one))
        removed = {name: modules.pop(name) for name in self._program_modules if name in modules}
        self._known_modules = len(modules) + len(removed)
        return removed

    def _is_own(self, name: str, module: object) -> bool:
        filename = getattr(module, "__file__", None)
        return isinstance(filename, str) and name != "random" and is_below(filename, self._script.folder)

    def _record_chdir(self, path: int | str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> None:
        self._chdir(path)
        self._moved = True
        if self._states:
            self._states[self._running].cwd = os.getcwd()
