"""Reductions of buffers, element by element."""

from __future__ import annotations

import array
import sys
from functools import reduce
from typing import Any

from raddle.mpi.library.buffers import Packed
from raddle.mpi.library.operators import MAXLOC, MINLOC, Op
from raddle.mpi.library.refusal import refuse

_ELEMENTS = frozenset("bBhHiIlLqQfd")  # codes of elements that `array` holds


def reduced(op: Op, payloads: list[Packed]) -> Packed:
    """Return the combination of the contents of several buffers, in the order of the ranks."""
    if op in (MAXLOC, MINLOC):
        refuse(f"{op!r} with buffers")
    datatype = payloads[0].datatype
    if op.is_user_defined:
        return reduce(lambda one, other: _by_user(op, one, other), payloads)
    data = [payload.data for payload in payloads]
    combine = _with_numpy if "numpy" in sys.modules else _with_arrays
    return Packed(combine(op, data, datatype.code), datatype)


def _by_user(op: Op, one: Packed, other: Packed) -> Packed:
    """Call a function that combines its first argument with its second one, in place."""
    result = bytearray(other.data)
    assert op.function is not None
    op.function(memoryview(one.data), memoryview(result), one.datatype)  # type: ignore[call-arg]
    return Packed(bytes(result), one.datatype)


def _with_numpy(op: Op, data: list[bytes], code: str) -> bytes:
    import numpy

    dtype = {"Zf": "complex64", "Zd": "complex128", "c": "S1"}.get(code, code)
    combined: Any = reduce(op, [numpy.frombuffer(one, dtype) for one in data])
    result: bytes = combined.astype(dtype).tobytes()
    return result


def _with_arrays(op: Op, data: list[bytes], code: str) -> bytes:
    if code not in _ELEMENTS:
        refuse(f"{op!r} with elements of the format {code!r} without NumPy")
    arrays = [array.array(code, one) for one in data]
    return array.array(code, [reduce(op, values) for values in zip(*arrays, strict=True)]).tobytes()
