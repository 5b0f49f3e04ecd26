"""The factory file (`--with factory.py`), in which users define what cannot be guessed.

The file can define any of these names:

* `make()` returns the object under test. It replaces the constructors.
* `values` maps the name of a parameter to a list of values. A function in the list is called without arguments
  whenever a test needs a value.
* `reset()` is called before each execution. It restores the state outside the object.
* `invariant(shared)` is called after each execution. If it raises an exception or returns False, the execution fails.
* `methods` and `exclude` are lists of patterns of the methods to call and not to call.

It can also register Hypothesis strategies for classes.

Generated tests import `make` and the functions in `values` from the file: `from factory import make`. The functions in
`values` must therefore have names, and all other values must be ones that source code can spell.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from raddle.errors import UsageError
from raddle.execute.loading import load_module
from raddle.generation.expressions import Expression, Imported, New
from raddle.generation.signatures import parameters_of
from raddle.generation.surface import Method, MethodKind
from raddle.generation.written import expression_of

_NAMES = ("make", "values", "reset", "invariant", "methods", "exclude")


@dataclass(frozen=True, slots=True)
class Factory:
    """The definitions of a factory file.

    >>> Factory().make is None
    True
    """

    make: Method | None = None  # the constructor
    values: Mapping[str, tuple[Expression, ...]] = field(default_factory=dict)  # maps the name of a parameter
    reset: Callable[[], object] | None = None
    invariant: Callable[[Any], object] | None = None
    methods: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def load_factory(path: str) -> Factory:
    """Import a factory file.

    Raises:
        UsageError: If the file cannot be imported, or if one of its definitions cannot be used.
    """
    module = load_module(path)
    defined = {name: value for name, value in vars(module).items() if name in _NAMES}
    if not defined and not _uses_hypothesis(module):
        message = f"{path} defines none of {', '.join(_NAMES)}, and registers no Hypothesis strategy"
        raise UsageError("bad-factory", message)
    for name, parameters in (("make", 0), ("reset", 0), ("invariant", 1)):
        if name in defined:
            _check_function(path, name, defined[name], parameters)
    return Factory(
        _constructor(module) if "make" in defined else None,
        _values(path, module, defined.get("values", {})),
        defined.get("reset"),
        defined.get("invariant"),
        _patterns(path, "methods", defined.get("methods", ())),
        _patterns(path, "exclude", defined.get("exclude", ())),
    )


def _uses_hypothesis(module: ModuleType) -> bool:
    """Return whether a module has imported something from Hypothesis, as a file does that registers strategies."""
    values = vars(module).values()
    names = [value.__name__ for value in values if inspect.ismodule(value)]
    names += [value.__module__ for value in values if inspect.isfunction(value)]
    return any(name.partition(".")[0] == "hypothesis" for name in names)


def _check_function(path: str, name: str, value: Any, parameters: int) -> None:
    required = sum(parameter.required for parameter in parameters_of(value)) if callable(value) else -1
    if required != parameters:
        expected = "without required parameters" if not parameters else "with one required parameter"
        raise UsageError("bad-factory", f"{path}: {name} must be a function {expected}, not {value!r:.60}")


def _constructor(module: ModuleType) -> Method:
    return Method("", MethodKind.CONSTRUCTOR, Imported(module.__name__, "make"))


def _values(path: str, module: ModuleType, values: Any) -> dict[str, tuple[Expression, ...]]:
    if not isinstance(values, dict) or not all(isinstance(value, list | tuple) for value in values.values()):
        message = f"{path}: values must map names of parameters to lists, such as {{'key': ['a', 'b']}}"
        raise UsageError("bad-factory", message)
    return {str(name): tuple(_value(path, module, str(name), item) for item in items) for name, items in values.items()}


def _value(path: str, module: ModuleType, name: str, item: Any) -> Expression:
    if isinstance(item, FunctionType) and item.__module__ == module.__name__:
        function: Any = item
        if vars(module).get(function.__name__) is not item or any(p.required for p in parameters_of(item)):
            message = f"{path}: a function in values[{name!r}] needs a name in the file and no parameters"
            raise UsageError("bad-factory", message)
        return New(Imported(module.__name__, function.__name__))
    found = expression_of(item)
    if found is None:
        kind = type(item).__name__
        message = f"{path}: a test cannot write the {kind} in values[{name!r}]; use a function that returns it"
        raise UsageError("bad-factory", message)
    return found


def _patterns(path: str, name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not all(isinstance(item, str) for item in value):
        raise UsageError(
            "bad-factory", f"{path}: {name} must be a list of patterns such as ['get*'], not {value!r:.60}"
        )
    return tuple(value)
