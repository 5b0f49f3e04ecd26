"""`MPI.Op`: the operators of reductions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from raddle.mpi.library import errors

Function = Callable[[Any, Any], Any]


class Op:
    """An operator of a reduction.

    >>> SUM.reduce([1, 2, 3]), MAXLOC.reduce([(5, 0), (7, 1), (7, 2)])
    (6, (7, 1))
    """

    def __init__(
        self, name: str, function: Function | None, *, commutes: bool = True, is_user_defined: bool = False
    ) -> None:
        self.name = name
        self.is_user_defined = is_user_defined
        self._function = function
        self._commutes = commutes

    @classmethod
    def Create(cls, function: Function, commute: bool = False) -> Op:  # noqa: N802
        """Return an operator that calls a function."""
        return cls(getattr(function, "__name__", "user"), function, commutes=commute, is_user_defined=True)

    @property
    def function(self) -> Function | None:
        """The function that combines two values; None for the null operator."""
        return self._function

    def check(self) -> None:
        """Raise an exception if this is the null operator."""
        if self._function is None:
            raise errors.Exception(errors.ERR_OP, f"{self.name} cannot combine values")

    def __call__(self, x: Any, y: Any) -> Any:
        if self._function is None:
            raise errors.Exception(errors.ERR_OP, f"{self.name} cannot combine values")
        return self._function(x, y)

    def reduce(self, values: list[Any]) -> Any:
        """Combine values in the order of the ranks."""
        return reduce(self, values)

    def Is_commutative(self) -> bool:  # noqa: N802
        """Return whether the order of the operands does not matter."""
        return self._commutes

    def Free(self) -> None:  # noqa: N802
        """Release the operator."""

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


def _numeric(scalar: Function, ufunc: str) -> Function:
    """Return a function that applies a NumPy ufunc to arrays, and `scalar` to everything else."""

    def apply(x: Any, y: Any) -> Any:
        if hasattr(x, "__array_ufunc__") or hasattr(y, "__array_ufunc__"):
            import numpy

            return getattr(numpy, ufunc)(x, y)
        return scalar(x, y)

    return apply


def _max_location(x: Any, y: Any) -> Any:
    if x[0] == y[0]:
        return x if x[1] <= y[1] else y
    return x if x[0] > y[0] else y


def _min_location(x: Any, y: Any) -> Any:
    if x[0] == y[0]:
        return x if x[1] <= y[1] else y
    return x if x[0] < y[0] else y


OP_NULL = Op("OP_NULL", None)
MAX = Op("MAX", _numeric(max, "maximum"))
MIN = Op("MIN", _numeric(min, "minimum"))
SUM = Op("SUM", operator.add)
PROD = Op("PROD", operator.mul)
LAND = Op("LAND", _numeric(lambda x, y: bool(x) & bool(y), "logical_and"))
BAND = Op("BAND", operator.and_)
LOR = Op("LOR", _numeric(lambda x, y: bool(x) | bool(y), "logical_or"))
BOR = Op("BOR", operator.or_)
LXOR = Op("LXOR", _numeric(lambda x, y: bool(x) ^ bool(y), "logical_xor"))
BXOR = Op("BXOR", operator.xor)
MAXLOC = Op("MAXLOC", _max_location)
MINLOC = Op("MINLOC", _min_location)
REPLACE = Op("REPLACE", lambda x, y: y, commutes=False)
NO_OP = Op("NO_OP", lambda x, y: x, commutes=False)
