"""The standard input of ranks: rank 0 reads it, and for the others it is at its end, as under mpiexec."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TextIO


class InputLines:
    """The lines of the real standard input that have been read so far, for all executions of a program."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, number: int, real: TextIO | None) -> str:
        """Return a line, after reading it if it is the first that was not read; "" at the end."""
        if number == len(self._lines):
            line = "" if real is None else real.readline()
            if not line:
                return ""
            self._lines.append(line)
        return self._lines[number]


class RankInput(io.TextIOBase):
    """A standard input that every execution reads from the beginning.

    `running` returns the rank that reads.
    """

    encoding = "utf-8"

    def __init__(self, running: Callable[[], int], lines: InputLines, real: TextIO | None) -> None:
        self._running = running
        self._lines = lines
        self._real = real
        self._rest = ""  # the rest of a line of which rank 0 has read a part
        self._position = 0

    def begin(self) -> None:
        """Begin an execution."""
        self._position, self._rest = 0, ""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """Return the next line, or its first characters."""
        if self._running() != 0:
            return ""
        line = self._rest or self._next_line()
        end = len(line) if size is None or size < 0 else size
        self._rest = line[end:]
        return line[:end]

    def read(self, size: int | None = -1, /) -> str:
        """Return the rest of the input, or its first characters."""
        parts: list[str] = []
        left = -1 if size is None else size
        while left and (part := self.readline(left)):
            parts.append(part)
            left -= len(part) if left > 0 else 0
        return "".join(parts)

    def _next_line(self) -> str:
        line = self._lines.line(self._position, self._real)
        self._position += bool(line)
        return line

    def readable(self) -> bool:
        """Return True."""
        return True

    def isatty(self) -> bool:
        """Return False, because the input is the same in every execution."""
        return False
