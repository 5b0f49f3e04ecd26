"""The names by which generated tests import classes and functions.

`UnixFileLock`, which is defined in `filelock._unix`, is imported as `filelock.FileLock`: a test that imports a private
module breaks when the package is reorganized.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType

from raddle.generation.expressions import Callback, Container, Expression, Imported, New, Stub
from raddle.generation.testcase import Call, TestCase


def is_private(imported: Imported) -> bool:
    """Return whether a module or an object is private according to its name.

    >>> is_private(Imported("filelock._unix", "UnixFileLock")), is_private(Imported("queue", "Queue"))
    (True, False)
    """
    parts = (*imported.module.split("."), *imported.name.split("."))
    return any(part.startswith("_") and not part.endswith("__") for part in parts)


@dataclass(frozen=True, slots=True)
class PublicNames:
    """Maps the place where an object is defined to the name by which tests import it.

    >>> PublicNames().of(Imported("_collections_abc", "Sized"))
    Imported(module='_collections_abc', name='Sized')
    """

    preferred: Mapping[Imported, Imported] = field(default_factory=dict)  # the names that the user has given

    def of(self, imported: Imported) -> Imported:
        """Return the name for an object: the user's, or the shortest public one if it is defined in a private place."""
        if imported in self.preferred:
            return self.preferred[imported]
        return imported if not is_private(imported) else _shortest(imported) or imported

    def in_test(self, test: TestCase) -> TestCase:
        """Return a test in which all objects have these names."""
        return TestCase(
            tuple(map(self._in_call, test.prefix)),
            tuple(tuple(map(self._in_call, thread)) for thread in test.threads),
            tuple(map(self._in_call, test.observers)),
        )

    def _in_call(self, call: Call) -> Call:
        return replace(
            call,
            method=replace(call.method, owner=self.of(call.method.owner)),
            arguments=tuple(map(self._in, call.arguments)),
            keywords=tuple((name, self._in(value)) for name, value in call.keywords),
        )

    def _in(self, expression: Expression) -> Expression:
        match expression:
            case Imported():
                return self.of(expression)
            case Container(kind, items):
                return Container(kind, tuple(map(self._in, items)))
            case New(function, arguments, keywords):
                named = tuple((name, self._in(value)) for name, value in keywords)
                return New(self.of(function), tuple(map(self._in, arguments)), named)
            case Callback(name, returns):
                return Callback(name, self._in(returns))
            case Stub(attributes, hashable):
                return Stub(tuple((name, self._in(value)) for name, value in attributes), hashable)
        return expression


def _shortest(imported: Imported) -> Imported | None:
    """Return the shortest public name of an object in the loaded modules of its package."""
    package = imported.module.partition(".")[0]
    first, dot, rest = imported.name.partition(".")
    value = vars(sys.modules[imported.module]).get(first) if imported.module in sys.modules else None
    if value is None:
        return None
    found = [
        Imported(module, name + dot + rest)
        for module, space in list(sys.modules.items())
        if module.partition(".")[0] == package and isinstance(space, ModuleType)
        for name, other in list(vars(space).items())
        if other is value
    ]
    public = [one for one in found if not is_private(one)]
    return min(
        public,
        key=lambda one: (one.module.count("."), one.name != imported.name, len(one.name), str(one)),
        default=None,
    )
