"""The calls that a process is making, in memory that it shares with its parent.

The parent can read which calls were in progress when the process died, or which call never returns. Writing takes about
a microsecond, so every call can be recorded.
"""

from __future__ import annotations

import ctypes
import pickle
import struct
from multiprocessing.sharedctypes import RawArray, RawValue

from raddle.generation.testcase import Call

_SLOTS = 16  # calls that can be in progress at the same time; more are not recorded
_SIZE = 2048  # bytes for a call; a longer one is recorded without its arguments
_LENGTH = struct.Struct("H")


class Heartbeat:
    """A record of the calls in progress. Create it in the parent, before the process is forked.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import Method, MethodKind
    >>> heartbeat, call = Heartbeat(), Call(Method("", MethodKind.CONSTRUCTOR, Imported("shop", "Cart")))
    >>> slot = heartbeat.begin(encoded(call))
    >>> heartbeat.calls() == (call,), heartbeat.count
    (True, 1)
    >>> heartbeat.end(slot)
    >>> heartbeat.calls(), heartbeat.last_call() == call, heartbeat.count
    ((), True, 2)
    """

    def __init__(self) -> None:
        self._count = RawValue(ctypes.c_uint64, 0)
        self._stopping = RawValue(ctypes.c_bool, False)
        self._last = RawValue(ctypes.c_int, -1)  # the number of the call that has ended last
        self._last_length = RawValue(ctypes.c_uint16, 0)
        self._bytes = memoryview(RawArray(ctypes.c_char, _SLOTS * _SIZE)).cast("B")
        self._free = list(range(0, _SLOTS * _SIZE, _SIZE))

    @property
    def count(self) -> int:
        """The number of times a call has begun or ended. It increases as long as the process makes progress."""
        return int(self._count.value)

    @property
    def is_stopping(self) -> bool:
        """Whether the parent has asked the process to end its search."""
        return bool(self._stopping.value)

    def stop(self) -> None:
        """Ask the process to end its search soon, in the parent."""
        self._stopping.value = True

    def beat(self) -> None:
        """Record that the process makes progress."""
        self._count.value += 1

    def begin(self, call: bytes) -> int:
        """Record the beginning of an encoded call; return the number to pass to `end`."""
        self._count.value += 1
        try:
            slot = self._free.pop()
        except IndexError:
            return -1
        body = slot + _LENGTH.size
        self._bytes[body : slot + len(call)] = call[_LENGTH.size :]
        self._bytes[slot:body] = call[: _LENGTH.size]  # last, so that the parent never reads half of a call
        return slot

    def end(self, slot: int) -> None:
        """Record the end of a call."""
        self._count.value += 1
        if slot >= 0:
            self._last.value = slot
            self._last_length.value = _LENGTH.unpack_from(self._bytes, slot)[0]
            self._bytes[slot : slot + _LENGTH.size] = _LENGTH.pack(0)
            self._free.append(slot)

    def calls(self) -> tuple[Call, ...]:
        """Return the calls in progress, in the parent; none if they change while they are read."""
        before, found = self.count, []
        for slot in range(0, _SLOTS * _SIZE, _SIZE):
            (length,) = _LENGTH.unpack_from(self._bytes, slot)
            if length:
                begin = slot + _LENGTH.size
                found.append(bytes(self._bytes[begin : begin + length]))
        return tuple(map(pickle.loads, found)) if self.count == before else ()

    def last_call(self) -> Call | None:
        """Return the call that has ended last, in the parent; None if there is none.

        This is meaningful while no call is in progress.
        """
        begin, length = self._last.value + _LENGTH.size, self._last_length.value
        return pickle.loads(self._bytes[begin : begin + length]) if length else None


def encoded(call: Call) -> bytes:
    """Return the form of a portable call that `Heartbeat.begin` takes."""
    for one in (call, Call(call.method, receiver=call.receiver)):
        data = pickle.dumps(one)
        if len(data) + _LENGTH.size <= _SIZE:
            return _LENGTH.pack(len(data)) + data
    return _LENGTH.pack(0)
