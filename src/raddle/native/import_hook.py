"""The import hook of a native run. It instruments modules on import, including those that pytest rewrites.

Only one hook can compile a module, so pytest's hook loads the test modules, and each is then instrumented in place.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from raddle.instrument.generated import probe_new_dataclasses
from raddle.instrument.hook import Hook
from raddle.instrument.inplace import instrument_module

_PYTEST = "_pytest.assertion.rewrite"


class WatchImportHook(Hook):
    """Instruments every selected module that the process imports."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._undo: list[Callable[[], None]] = []
        self._import_callbacks: dict[str, Callable[[ModuleType], None]] = {}

    def install(self) -> None:
        sys.meta_path.insert(0, self)
        self.on_import(_PYTEST, self._patch_pytest)
        self._patch_runpy()
        self._undo.append(probe_new_dataclasses(self))

    def on_import(self, fullname: str, callback: Callable[[ModuleType], None]) -> None:
        """Call `callback` with the module as soon as it is imported, or immediately if it is already imported."""
        self._import_callbacks[fullname] = callback
        if fullname in sys.modules:
            callback(sys.modules[fullname])

    def reattach(self) -> None:
        """Reinsert the hook into `sys.meta_path` after `detach`."""
        sys.meta_path.insert(0, self)

    def detach(self) -> None:
        super().__call__()

    def __call__(self) -> None:
        super().__call__()
        while self._undo:
            self._undo.pop()()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = super().find_spec(fullname, path, target)
        if fullname in self._import_callbacks and spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _NotifyingLoader(fullname, spec.loader.path, notify=self._import_callbacks[fullname])
        return spec

    def _patch_pytest(self, module: ModuleType) -> None:
        """Patch pytest's import hook so that the modules it imports are instrumented too."""
        hook: Any = getattr(module, "AssertionRewritingHook", None)
        if hook is None:
            return
        real = hook.exec_module

        def exec_module(loader: Any, imported: ModuleType) -> None:
            real(loader, imported)
            self._instrument_imported(imported)

        hook.exec_module = exec_module
        self._undo.append(lambda: setattr(hook, "exec_module", real))

    def _instrument_imported(self, module: ModuleType) -> None:
        """Instrument a selected module in place, right after its import."""
        if self.wants(module):
            undo = instrument_module(module, self.table, blocks=self.blocks)
            self.not_instrumented += undo.all_refused
            self.instrumented.append(module.__name__)

    def code_of_file(self, path: str, name: str) -> CodeType | None:
        """Return the instrumented code of a script, or None if the script is not selected."""
        if not self._selection(name, path):
            return None
        return self.probed_code(SourceFileLoader(name, path), name)

    def _patch_runpy(self) -> None:
        """Instrument scripts that `runpy` reads, as in processes that `multiprocessing` spawns.

        Import hooks do not see such scripts.
        """
        real: Any = getattr(runpy, "_get_code_from_file", None)
        if real is None:
            return

        def read(*args: Any) -> Any:
            found = real(*args)
            code = self.code_of_file(args[-1], "__main__") if isinstance(args[-1], str) else None
            if code is None:
                return found
            return (code, *found[1:]) if isinstance(found, tuple) else code

        runpy._get_code_from_file = read  # type: ignore[attr-defined]
        self._undo.append(lambda: setattr(runpy, "_get_code_from_file", real))


class _NotifyingLoader(SourceFileLoader):
    """A source loader that calls `notify` with the module after loading it."""

    def __init__(self, fullname: str, path: str, *, notify: Callable[[ModuleType], None]) -> None:
        super().__init__(fullname, path)
        self._notify = notify

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        self._notify(module)
