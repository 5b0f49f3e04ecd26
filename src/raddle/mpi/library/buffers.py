"""Buffers: the arguments of upper-case methods such as `Send`, and the messages that hold their contents."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raddle.mpi.library import errors
from raddle.mpi.library.datatypes import BYTE, Datatype, datatype_of
from raddle.mpi.library.payload import Pickled
from raddle.mpi.misuse import MisuseError
from raddle.outcome import OutcomeKind


class InPlace(int):
    """The type of IN_PLACE: the send buffer is the receive buffer."""

    def __repr__(self) -> str:
        return "MPI.IN_PLACE"


IN_PLACE = InPlace(-1)
MAX_SHOWN = 8  # number of elements to show in stories


@dataclass(frozen=True, slots=True)
class Packed:
    """The contents of a buffer."""

    data: bytes
    datatype: Datatype

    @property
    def size_bytes(self) -> int:
        """The size of the message."""
        return len(self.data)

    @property
    def count(self) -> int:
        """The number of elements."""
        return len(self.data) // self.datatype.size

    def load(self) -> Any:
        """Return the object whose bytes were sent."""
        if not self.datatype.is_raw:
            raise MisuseError(
                OutcomeKind.TYPE_MISMATCH,
                f"a message of {self.datatype!r} elements was received as a pickled object",
                ("pickle", self.datatype.name),
            )
        return pickle.loads(self.data)

    def __repr__(self) -> str:
        code = self.datatype.code
        if code in ("g", "c") or code.startswith("Z"):
            return f"{self.count} x {self.datatype!r}"
        values = memoryview(self.data).cast(code).tolist()  # type: ignore[call-overload]
        return repr(values) if len(values) <= MAX_SHOWN else repr(values[:MAX_SHOWN])[:-1] + ", ...]"


@dataclass(frozen=True, slots=True)
class Buffer:
    """A part of memory that holds `count` elements, for one rank or for all ranks together."""

    memory: memoryview  # of bytes
    datatype: Datatype
    count: int

    def pack(self) -> Packed:
        """Return a copy of the contents."""
        return Packed(bytes(self.memory[: self.count * self.datatype.size]), self.datatype)

    def part(self, start: int, count: int) -> Buffer:
        """Return the part with `count` elements from `start` on."""
        size = self.datatype.size
        if start < 0 or count < 0 or (start + count) * size > len(self.memory):
            raise errors.Exception(
                errors.ERR_TRUNCATE, f"elements {start} to {start + count} are not in a buffer of {self.count} elements"
            )
        return Buffer(self.memory[start * size : (start + count) * size], self.datatype, count)

    def parts(self, number: int) -> list[Buffer]:
        """Return equal parts, one for each rank."""
        if self.count % number:
            raise ValueError(f"message: buffer with {self.count} elements cannot be divided by {number} ranks")
        each = self.count // number
        return [self.part(position * each, each) for position in range(number)]

    def fill(self, payload: Packed | Pickled) -> None:
        """Copy the contents of a message into the buffer."""
        sent = BYTE if isinstance(payload, Pickled) else payload.datatype
        if isinstance(payload, Pickled) and not self.datatype.is_raw:
            raise MisuseError(
                OutcomeKind.TYPE_MISMATCH,
                f"a pickled object was received into a buffer of {self.datatype!r} elements: receive what `send` sends "
                "with `recv`, and what `Send` sends with `Recv`",
                ("pickle", self.datatype.name),
            )
        if not sent.matches(self.datatype):
            raise MisuseError(
                OutcomeKind.TYPE_MISMATCH,
                f"a message of {sent!r} elements was received into a buffer of {self.datatype!r} elements",
                (sent.name, self.datatype.name),
            )
        capacity = self.count * self.datatype.size
        if len(payload.data) > capacity:
            raise errors.Exception(
                errors.ERR_TRUNCATE, f"a message of {len(payload.data)} bytes does not fit a buffer of {capacity} bytes"
            )
        if self.memory.readonly and payload.data:
            raise errors.Exception(errors.ERR_BUFFER, "the buffer of a receive is read-only")
        if payload.data:
            self.memory[: len(payload.data)] = payload.data


@dataclass(frozen=True, slots=True)
class Parts:
    """A buffer with a part for each rank."""

    parts: tuple[Buffer, ...]


def buffer_of(spec: Any) -> Buffer:
    """Return the buffer of an argument: an array, `[array, type]`, `[array, count]` or `[array, count, type]`.

    >>> buffer_of(bytearray(8)).count, buffer_of([bytearray(8), 1, "d"]).datatype
    (8, MPI.DOUBLE)
    """
    data, others, datatype = _split(spec)
    memory, datatype = _memory(data, datatype)
    available = len(memory) // datatype.size
    if not others:
        return Buffer(memory, datatype, available)
    numbers = others[0] if isinstance(others[0], tuple) else others
    count, start = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 and numbers[1] is not None else 0
    if count < 0:
        raise errors.Exception(errors.ERR_COUNT, f"count {count} is negative")
    if (start + count) * datatype.size > len(memory):
        raise ValueError(f"message: buffer too small for requested count: {count} of {available} elements")
    return Buffer(memory[start * datatype.size :], datatype, count)


def parts_of(spec: Any, ranks: int) -> list[Buffer]:
    """Return the buffers for all ranks: `[array, counts]`, `[array, counts, displacements, type]` or similar."""
    data, others, datatype = _split(spec)
    memory, datatype = _memory(data, datatype)
    whole = Buffer(memory, datatype, len(memory) // datatype.size)
    if not others or others[0] is None:
        return whole.parts(ranks)
    counts, starts = others[0] if isinstance(others[0], tuple) and _is_pair(others[0]) else (*others, None)[:2]
    counts = [int(count) for count in counts] if _is_sequence(counts) else [int(counts)] * ranks
    if starts is None:
        starts = [sum(counts[:position]) for position in range(len(counts))]
    if len(counts) != ranks or len(starts) != ranks:
        raise ValueError(f"message: expecting {ranks} counts and displacements, got {len(counts)} and {len(starts)}")
    return [whole.part(int(start), count) for start, count in zip(starts, counts, strict=True)]


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _is_pair(value: tuple[Any, ...]) -> bool:
    return len(value) == 2 and _is_sequence(value[0])


def _split(spec: Any) -> tuple[Any, list[Any], Datatype | None]:
    """Return the array, the counts and displacements, and the type of an argument."""
    if not isinstance(spec, (list, tuple)):
        return spec, [], None
    if not 2 <= len(spec) <= 4:
        raise ValueError(f"message: expecting 2 to 4 items, got {len(spec)}")
    data, *others = spec
    datatype: Datatype | None = None
    if isinstance(others[-1], Datatype):
        datatype = others.pop()
    elif isinstance(others[-1], str):
        datatype = datatype_of(others.pop())
    elif others[-1] is None:
        others.pop()
    return data, others, datatype


def _memory(data: Any, datatype: Datatype | None) -> tuple[memoryview, Datatype]:
    """Return the bytes of an array, and the type of its elements unless it is given."""
    if data is None:
        return memoryview(bytearray()), datatype or BYTE
    if isinstance(data, str) or not _has_buffer(data):
        raise TypeError(f"message: expecting buffer or list/tuple, not {type(data).__name__}")
    view = memoryview(data)
    datatype = datatype or (BYTE if isinstance(data, (bytes, bytearray)) else datatype_of(view.format))
    datatype.size  # noqa: B018 -- raises an exception for DATATYPE_NULL
    if view.nbytes == 0:
        return memoryview(bytearray()), datatype
    if not view.contiguous:
        raise ValueError("ndarray is not contiguous")
    if not view.c_contiguous:
        view = memoryview(data.T)
    if view.format not in _NATIVE:
        view = memoryview(data.reshape(-1).view("u1"))  # only NumPy has arrays of such elements
    elif view.ndim == 0:
        view = memoryview(data.reshape(-1)) if hasattr(data, "reshape") else view
    return view.cast("B"), datatype


_NATIVE = frozenset("cbB?hHiIlLqQnNfd")


def _has_buffer(data: Any) -> bool:
    try:
        memoryview(data)
    except TypeError:
        return False
    return True


def packed_parts(parts: Sequence[Buffer]) -> list[Packed]:
    """Return copies of the contents of several buffers."""
    return [part.pack() for part in parts]
