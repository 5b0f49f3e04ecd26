"""Whether raddle controls the code of an object, so that a check of its calls means something.

Methods of C extension types run as one step, and raddle replaces the primitives of the standard library with twins.
Checking either would say nothing about the real classes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

from raddle.inspection import fields_of, module_of, mro, qualname_of

# The modules of the standard library that synchronize threads or processes.
SYNCHRONIZATION = frozenset({"_queue", "_thread", "asyncio", "concurrent", "multiprocessing", "queue", "threading"})
_KNOWN = frozenset({"_collections", "builtins", "collections", "types"})  # raddle knows what their methods do
_CONTAINERS = frozenset(map(id, (bytearray, dict, list, set)))

Select = Callable[[str, str | None], object]  # returns whether a module is instrumented; see `Selection`


def reason_not_controlled(value: Any, select: Select) -> tuple[str, str] | None:
    """Return why raddle does not control the class of a value, as a slug and a sentence; None if it does.

    >>> import threading
    >>> reason_not_controlled(threading.Event(), lambda name, path: False)[0]
    'synchronization-under-test'
    >>> reason_not_controlled([], lambda name, path: False)[0]
    'extension-type'
    """
    if type(value) is tuple or type(value) is SimpleNamespace:  # several objects, which may contain built-in ones
        items = value if type(value) is tuple else tuple(vars(value).values())
        return next((reason for item in items if (reason := _reason(item, select))), None)
    cls = type(value)
    if id(cls) in _CONTAINERS or module_of(cls) in ("_collections", "collections"):
        return "extension-type", (
            f"{qualname_of(cls)} is a built-in class, so raddle cannot switch threads inside its methods: check your "
            "own class that uses it, or your functions, with a setup that returns types.SimpleNamespace(data=...)"
        )
    return _reason(value, select)


def _reason(value: Any, select: Select) -> tuple[str, str] | None:
    """Return why raddle does not control the class of a value that may be a built-in container."""
    cls = type(value)
    name = qualname_of(cls)
    module = module_of(cls)
    if module.partition(".")[0] in SYNCHRONIZATION:
        return "synchronization-under-test", (
            f"{module}.{name} synchronizes threads, and raddle replaces it with a twin, so its own code is not run: "
            "check a class that uses it instead"
        )
    if module in _KNOWN:
        return None
    written_in_python = [base for base in mro(cls) if _file_of(base)]
    if not written_in_python:
        if _is_in_python(module):
            return None  # a subclass of a built-in class, without methods of its own
        return "extension-type", (
            f"{module}.{name} is not written in Python, so raddle cannot switch threads inside its methods"
        )
    for base in written_in_python:
        module, file = module_of(base), _file_of(base)
        if module in _KNOWN or not os.path.isfile(file) or select(module, file):
            return None
    module = module_of(written_in_python[0])
    return "class-not-instrumented", (
        f"{name} is defined in {module}, which is not instrumented: pass source=[{module.partition('.')[0]!r}]"
    )


def _file_of(cls: type) -> str:
    """Return the file that defines the methods of a class; "" if it has no methods written in Python.

    The file does not exist if the class was defined at a prompt.
    """
    for value in fields_of(cls).values():
        function = value.fget if type(value) is property else getattr(value, "__func__", value)
        if type(function) is FunctionType:
            return function.__code__.co_filename
    return ""


def _is_in_python(module: str) -> bool:
    """Return whether a module was loaded from a Python file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and file.endswith((".py", ".pyw"))
