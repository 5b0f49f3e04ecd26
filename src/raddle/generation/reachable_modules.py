"""The modules that the methods of a class can reach, which are the ones to instrument.

Instrumenting a whole package can take seconds. The modules that count are those of the class and its bases, and the
modules of the same package that they have imported, directly or indirectly.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from raddle.generation.signatures import package_of
from raddle.inspection import module_of, mro

MAX_MODULES = 200


def reachable_modules(cls: type, others: Iterable[type] = ()) -> list[ModuleType]:
    """Return the loaded modules that a class can reach within its own package, beginning with its own module.

    The modules that `others` can reach follow, such as those of subclasses that the module of the class does not know.

    >>> from fractions import Fraction
    >>> [module.__name__ for module in reachable_modules(Fraction)]
    ['fractions']
    """
    package = package_of(cls)
    names = [module_of(base) for one in (cls, *others) for base in mro(one)]
    waiting = deque(dict.fromkeys(name for name in names if name.partition(".")[0] == package))
    found: dict[str, ModuleType] = {}
    while waiting and len(found) < MAX_MODULES:
        name = waiting.popleft()
        module = sys.modules.get(name)
        if name in found or not isinstance(module, ModuleType):
            continue
        found[name] = module
        waiting += (other for other in _imported_by(module) if other.partition(".")[0] == package)
    return list(found.values())


def _imported_by(module: ModuleType) -> list[str]:
    """Return the names of the modules whose objects the global variables of a module refer to."""
    names: dict[str, None] = {}
    for value in list(vars(module).values()):
        name: Any
        if isinstance(value, ModuleType):
            name = value.__name__
        elif issubclass(type(value), type):
            name = module_of(value)
        else:
            name = vars(type(value)).get("__module__") and None
            name = getattr(value, "__module__", None) if callable(value) else name
        if isinstance(name, str):
            names[name] = None
    return list(names)
