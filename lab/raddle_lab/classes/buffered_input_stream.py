"""Buffered reading from another stream."""

from __future__ import annotations

import threading
from typing import BinaryIO

END = -1  # returned instead of data at the end of the stream


class BufferedInputStream:
    """A buffered stream over another binary stream, with `mark` and `reset`. Threads may share it.

    After `close`, all methods that use the stream raise OSError.
    """

    def __init__(self, source: BinaryIO, buffer_size: int = 2048) -> None:
        if buffer_size <= 0:
            raise ValueError(f"the buffer size is {buffer_size}, but must be positive")
        self._lock = threading.RLock()
        self._source: BinaryIO | None = source
        self._buffer: bytearray | None = bytearray(buffer_size)
        self._count = 0  # number of valid bytes in the buffer
        self._position = 0  # index of the next byte in the buffer
        self._mark_position = -1  # -1 if no mark is set
        self._mark_limit = 0

    def read(self) -> int:
        """Return the next byte, or -1 at the end of the stream."""
        with self._lock:
            self._ensure_open()
            if self._position >= self._count:
                self._fill()
                if self._position >= self._count:
                    return END
            byte = self._buffer[self._position]
            self._position += 1
            return byte

    def read_into(self, target: bytearray, offset: int, length: int) -> int:
        """Read up to `length` bytes into the target at the offset. Return their number, or -1 at the end."""
        with self._lock:
            self._ensure_open()
            if offset < 0 or length < 0 or offset + length > len(target):
                raise IndexError(f"no {length} bytes at offset {offset} of {len(target)} bytes")
            if length == 0:
                return 0
            if self._position >= self._count:
                self._fill()
                if self._position >= self._count:
                    return END
            number = min(length, self._count - self._position)
            target[offset : offset + number] = self._buffer[self._position : self._position + number]
            self._position += number
            return number

    def skip(self, number: int) -> int:
        """Skip up to `number` bytes. Return how many were skipped."""
        with self._lock:
            self._ensure_open()
            if number <= 0:
                return 0
            if self._position >= self._count:
                if self._mark_position < 0:
                    return len(self._source.read(number))  # without a mark, no byte is read twice
                self._fill()
            skipped = min(number, self._count - self._position)
            self._position += skipped
            return skipped

    def available(self) -> int:
        """Return the number of bytes that can be read without a read from the other stream."""
        with self._lock:
            self._ensure_open()
            return self._count - self._position

    def mark(self, limit: int) -> None:
        """Remember the position for `reset`, at least until more than `limit` bytes have been read."""
        with self._lock:
            self._mark_limit = limit
            self._mark_position = self._position

    def reset(self) -> None:
        """Return to the marked position. Raise OSError if there is no mark."""
        with self._lock:
            self._ensure_open()
            if self._mark_position < 0:
                raise OSError("no mark is set, or it was dropped")
            self._position = self._mark_position

    def mark_supported(self) -> bool:
        return True

    def close(self) -> None:
        """Close both streams. Closing a closed stream has no effect."""
        if self._source is None:
            return
        self._source.close()
        self._source = None
        self._buffer = None

    def _ensure_open(self) -> None:
        if self._source is None:
            raise OSError("the stream is closed")

    def _fill(self) -> None:
        """Read more bytes into the buffer. If a mark is set, keep the bytes since the mark."""
        if self._mark_position < 0:
            self._position = 0
        elif self._position >= len(self._buffer):
            self._make_room()
        self._count = self._position
        data = self._source.read(len(self._buffer) - self._position)
        if data:
            self._buffer[self._position : self._position + len(data)] = data
            self._count = self._position + len(data)

    def _make_room(self) -> None:
        if self._mark_position > 0:
            kept = self._position - self._mark_position
            self._buffer[:kept] = self._buffer[self._mark_position : self._position]
            self._position = kept
            self._mark_position = 0
        elif len(self._buffer) >= self._mark_limit:
            self._mark_position = -1
            self._position = 0
        else:
            size = min(2 * self._position, self._mark_limit)
            self._buffer = self._buffer + bytearray(size - self._position)
