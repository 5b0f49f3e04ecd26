"""The import hook: a finder that instruments modules as they are imported.

It precedes all other finders and calls them to locate a module. Selected modules get a loader that runs probed code.
The ordinary loader still provides package resources, `get_source` and reloading. Test modules that pytest's import hook
loads are left to pytest and instrumented in place later, because two hooks cannot both compile a module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

from raddle.errors import RaddleError
from raddle.instrument.cache import compile_cached
from raddle.instrument.compiled import expose_probes
from raddle.instrument.labels import label
from raddle.instrument.leftover_sites import remember_leftover_sites
from raddle.refusal import NotInstrumented
from raddle.site import SiteTable

if TYPE_CHECKING:
    from raddle.instrument.selection import Verdict

Select = Callable[[str, "str | None"], "Verdict | bool"]


class Hook(MetaPathFinder):
    """The finder. Calling it or leaving its `with` block deactivates it; modules already imported keep their probes."""

    def __init__(self, selection: Select, table: SiteTable, *, blocks: bool = False) -> None:
        self._selection = selection
        self.table = table
        self.blocks = blocks
        self.not_instrumented: list[NotInstrumented] = []
        self.instrumented: list[str] = []

    def __call__(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def __enter__(self) -> Hook:
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec from the other finders, with a probing loader if the module is selected."""
        spec = self._find_with_others(fullname, path, target)
        if spec is None or spec.loader is None or not spec.has_location:
            return spec
        loader = spec.loader
        if not self._selection(fullname, spec.origin):
            return spec
        if type(loader) is SourceFileLoader:
            spec.loader = ProbingLoader(fullname, loader.path, hook=self)
        elif not type(loader).__module__.startswith("_pytest."):
            self.refuse(fullname, f"its loader, {type(loader).__name__}, is not supported")
        return spec

    def _find_with_others(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        for finder in list(sys.meta_path):
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                return spec
        return None

    def wants(self, module: object) -> bool:
        """Return whether this is a selected module. `sys.modules` may contain objects that are not modules."""
        return isinstance(module, ModuleType) and bool(
            self._selection(module.__name__, getattr(module, "__file__", None))
        )

    def loaded(self) -> list[ModuleType]:
        """Return the selected modules that are already loaded."""
        return [module for module in list(sys.modules.values()) if self.wants(module)]

    def refuse(self, what: str, why: str) -> None:
        refused = NotInstrumented(what, why)
        if refused not in self.not_instrumented:  # a class inside a function can be refused at every call
            self.not_instrumented.append(refused)

    def probed_code(self, loader: SourceFileLoader, fullname: str) -> CodeType | None:
        """Return the probed code of a module and add its sites to the table; None if the module cannot be rewritten."""
        file = label(fullname, loader.path, is_package=loader.is_package(fullname), root=self.table.root)
        try:
            source = loader.get_data(loader.path)
            probed = compile_cached(source, file=file, path=loader.path, blocks=self.blocks)
        except SyntaxError:
            return None  # the ordinary loader gives a better error message
        except (RecursionError, RaddleError) as error:
            self.refuse(fullname, f"it could not be rewritten: {error}")
            return None
        self.table.add(probed.base, probed.sites, file=file, path=loader.path)
        remember_leftover_sites(fullname, probed.base, probed.sites, file=file, path=loader.path)
        self.instrumented.append(fullname)
        return probed.code


class ProbingLoader(SourceFileLoader):
    """A source file loader that runs probed code."""

    def __init__(self, fullname: str, path: str, *, hook: Hook) -> None:
        super().__init__(fullname, path)
        self._hook = hook

    def get_code(self, fullname: str) -> CodeType | None:
        code = self._hook.probed_code(self, fullname)
        return code if code is not None else super().get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        namespace: dict[str, Any] = module.__dict__
        expose_probes(namespace)
        super().exec_module(module)


def install_hook(selection: Select, table: SiteTable, *, blocks: bool = False) -> Hook:
    """Install a hook that instruments the selected modules as they are imported."""
    return Hook(selection, table, blocks=blocks).__enter__()
