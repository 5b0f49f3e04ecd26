"""Instruments imported modules by swapping the code of their functions, and later restores the original code.

A script, a test file or a notebook cell is already running when raddle starts. Its source is compiled again with
probes. Then each of its live functions gets a new `__code__`, wherever the function is stored. This includes methods,
decorated functions and closures. Code at module level and in class bodies has already run and stays unchanged.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType, TracebackType
from typing import Any

from raddle import probe
from raddle.instrument.compiled import expose_probes, is_probed
from raddle.instrument.functions import LiveFunctions
from raddle.instrument.generated import (
    FACTORY_NAME,
    GENERATED_FILE,
    READING_METHODS,
    generated_functions,
    is_dataclass,
    probed_codes,
)
from raddle.instrument.leftover_sites import restore_leftover_sites
from raddle.instrument.running_source import LiveSource, NoSourceError, UnknownCodeError, find_source
from raddle.refusal import NotInstrumented
from raddle.site import SiteTable

live_functions = LiveFunctions()  # shared by all installations in this process


@dataclass(slots=True, eq=False)
class Undo:
    """A callable and context manager that restores the original code of the instrumented functions."""

    not_instrumented: list[NotInstrumented] = field(default_factory=list)
    # Functions whose code was created at run time. They are reported only if threads call them.
    made_at_run_time: dict[CodeType, NotInstrumented] = field(default_factory=dict)
    # Functions with a default argument that has to be replaced.
    defaults_holders: list[FunctionType] = field(default_factory=list)
    _functions: list[tuple[FunctionType, CodeType, CodeType]] = field(default_factory=list)
    _namespaces: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self) -> None:
        """Restore the original code object of each function. A second call does nothing."""
        while self._functions:
            function, old, new = self._functions.pop()
            if function.__code__ is new:  # otherwise another tool has since replaced the code
                function.__code__ = old
        while self._namespaces:
            self._namespaces.pop().pop(probe.NAME, None)

    def __enter__(self) -> Undo:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self()

    @property
    def functions(self) -> list[FunctionType]:
        """The functions whose code was swapped."""
        return [function for function, _, _ in self._functions]

    @property
    def all_refused(self) -> list[NotInstrumented]:
        """Everything that could not be instrumented, whether or not threads call it."""
        return [*self.not_instrumented, *dict.fromkeys(self.made_at_run_time.values())]

    def refuse(self, what: str, why: str) -> None:
        refused = NotInstrumented(what, why)
        if refused not in self.not_instrumented:  # several functions can have the same name
            self.not_instrumented.append(refused)

    def refuse_generated(self, what: str, why: str, functions: Iterable[FunctionType]) -> None:
        self.made_at_run_time.update({function.__code__: NotInstrumented(what, why) for function in functions})

    def swap(self, function: FunctionType, new: CodeType) -> None:
        self._functions.append((function, function.__code__, new))
        function.__code__ = new
        self.expose_probes(function.__globals__)

    def expose_probes(self, namespace: dict[str, Any]) -> None:
        if namespace.get(probe.NAME) is not probe:
            expose_probes(namespace)
            self._namespaces.append(namespace)


def instrument_modules(
    modules: Iterable[ModuleType], table: SiteTable, *, blocks: bool = False, replaced: Collection[int] = ()
) -> Undo:
    """Swap the code of all live functions of these modules, except those that already have probes.

    `replaced` holds the ids of objects that the caller is going to replace. `Undo.defaults_holders` lists the functions
    that have one of these objects as a default argument.
    """
    undo = Undo()
    modules = list(modules)
    try:
        for module in modules:
            restore_leftover_sites(module.__name__, table)
        plain = [module for module in modules if not is_probed(module)]
        found = _group_by_module(plain, live_functions.of(plain, values=replaced))
        undo.defaults_holders = live_functions.with_values()
        has_generated = any(
            function.__code__.co_filename == GENERATED_FILE for _, functions in found for function in functions
        )
        classes = _dataclasses() if has_generated else {}
        for module, functions in found:
            others = _instrument_generated(classes.get(module.__name__, ()), functions, table, undo, blocks=blocks)
            for path, members in _group_by_path(module, others).items():
                _instrument_file(module, path, members, table, undo, blocks=blocks)
    except BaseException:
        undo()
        raise
    return undo


def instrument_module(module: ModuleType, table: SiteTable, *, blocks: bool = False) -> Undo:
    """Swap the code of all live functions of one module; see `instrument_modules`."""
    return instrument_modules([module], table, blocks=blocks)


def _group_by_module(
    modules: Sequence[ModuleType], candidates: Iterable[FunctionType]
) -> list[tuple[ModuleType, list[FunctionType]]]:
    """Assign each function to one module.

    A function belongs to a module if its code is from the module's file, or if its globals are the module's namespace.
    The second rule is needed for notebooks, where each cell has its own "file".
    """
    found: list[tuple[ModuleType, list[FunctionType]]] = [(module, []) for module in modules]
    by_namespace = {id(module.__dict__): functions for module, functions in found}
    by_file = {module.__file__: functions for module, functions in found if getattr(module, "__file__", None)}
    for candidate in candidates:
        code = candidate.__code__
        functions = by_file.get(code.co_filename)
        if functions is None:
            functions = by_namespace.get(id(candidate.__globals__))
        if functions is not None and probe.NAME not in code.co_names:
            functions.append(candidate)
    for _, functions in found:  # sorted, because the garbage collector lists objects in no stable order
        functions.sort(key=lambda function: (function.__code__.co_firstlineno, function.__qualname__))
    return found


def _dataclasses() -> dict[str, list[type]]:
    """Return all dataclasses in the process, grouped by module, in a deterministic order."""
    classes: dict[str, list[type]] = defaultdict(list)
    for cls in _all_classes():
        if is_dataclass(cls):
            classes[cls.__module__].append(cls)
    for found in classes.values():
        found.sort(key=lambda cls: cls.__qualname__)
    return classes


def _all_classes() -> Iterable[type]:
    """Return every class in the process once, by following the subclasses of `object`."""
    found: dict[int, type] = {}
    waiting: list[type] = [object]
    while waiting:
        cls = waiting.pop()
        if id(cls) not in found:
            found[id(cls)] = cls
            waiting += type.__subclasses__(cls)
    return found.values()


def _instrument_generated(
    classes: Iterable[type], functions: Sequence[FunctionType], table: SiteTable, undo: Undo, *, blocks: bool
) -> Sequence[FunctionType]:
    """Swap the code of the methods that `dataclass` generated. Return the functions that remain to be instrumented."""
    done = {id(f) for f in functions if f.__name__ == FACTORY_NAME and f.__code__.co_filename == GENERATED_FILE}
    for cls in classes:
        codes = probed_codes(cls, table, blocks=blocks)
        for name, function in generated_functions(cls).items():
            if name in codes:
                undo.swap(function, codes[name])
            if name in codes or name not in READING_METHODS:
                done.add(id(function))
    return [function for function in functions if id(function) not in done] if done else functions


def _group_by_path(module: ModuleType, functions: Sequence[FunctionType]) -> dict[str, list[FunctionType]]:
    by_path: dict[str, list[FunctionType]] = defaultdict(list)
    for function in functions:
        by_path[function.__code__.co_filename].append(function)
    if not functions:
        by_path[getattr(module, "__file__", None) or module.__name__] = []
    return by_path


def _instrument_file(
    module: ModuleType, path: str, functions: Sequence[FunctionType], table: SiteTable, undo: Undo, *, blocks: bool
) -> None:
    try:
        source = find_source(module, path, functions[0].__code__ if functions else None, blocks=blocks, root=table.root)
        source.enter_sites(table)
    except NoSourceError as error:
        if _is_foreign(module, path):
            undo.refuse_generated(_describe(module, functions), str(error), functions)
        else:
            undo.refuse(_describe(module, functions), str(error))
        return
    undo.expose_probes(module.__dict__)
    running = [function.__code__ for function in functions]
    for function in functions:
        _instrument_function(f"{module.__name__}.{function.__qualname__}", function, source, running, undo)


def _instrument_function(
    name: str, function: FunctionType, source: LiveSource, running: Sequence[CodeType], undo: Undo
) -> None:
    try:
        undo.swap(function, source.probed_code(function.__code__))
    except UnknownCodeError as error:
        if source.was_edited(function.__code__, running):
            undo.refuse(name, f"{function.__code__.co_filename} has changed since it was imported")
        else:
            undo.refuse_generated(name, str(error), [function])
    except NoSourceError as error:
        undo.refuse(name, str(error))


def _is_foreign(module: ModuleType, path: str) -> bool:
    """Return whether `path` is neither the module's own file nor any other existing file."""
    own = getattr(module, "__file__", None)
    return own is not None and own != path and not os.path.isfile(path)


def _describe(module: ModuleType, functions: Sequence[FunctionType]) -> str:
    """Return the module's name, followed by the names of the functions if none of them is from the module's file."""
    names = sorted({function.__qualname__ for function in functions})
    own = [function for function in functions if function.__code__.co_filename == getattr(module, "__file__", "")]
    if own or not names:
        return module.__name__
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{module.__name__}: {', '.join(names[:3])}{more}"
