"""Rejection of the parts of MPI that raddle does not simulate."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import types
from collections.abc import Sequence
from typing import Any, NoReturn

from raddle.engine.carrier import Carrier, getcurrent
from raddle.mpi.library.errors import UnsupportedCallError
from raddle.mpi.world import MpiWorld


def refuse(name: str) -> NoReturn:
    """Raise `UnsupportedCallError`, and end the search even if the program catches the error."""
    error = UnsupportedCallError(name)
    me = getcurrent()
    if isinstance(me, Carrier) and isinstance(me.engine.world, MpiWorld):
        me.engine.world.refusal = error
    raise error


# Names of methods in mpi4py that these classes do not have here, apart from those that begin with a capital letter
_LOWER_CASE = {
    "Comm": frozenset({"info", "topology", "is_topo", "ibarrier", "ibcast", "igather", "iallgather", "ireduce"}),
    "Request": frozenset({"cancel", "get_status", "get_status_all"}),
}


class Refusing:
    """A base class that rejects the methods of mpi4py that a class does not simulate.

    Other missing names, such as misspelled ones, are errors of the program.
    """

    def __getattr__(self, name: str) -> Any:
        kind = type(self)
        for base in kind.__mro__:
            if name in _LOWER_CASE.get(base.__name__, ()):
                refuse(f"{base.__name__}.{name}")
        if name[:1].isupper():
            refuse(f"{kind.__name__}.{name}")
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")


class RefusingFinder(importlib.abc.MetaPathFinder):
    """Rejects imports of the parts of mpi4py that are not simulated, such as `mpi4py.futures`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Raise `UnsupportedCallError` for a module in mpi4py; return None for others."""
        if fullname.startswith("mpi4py."):
            refuse(fullname)
        return None
