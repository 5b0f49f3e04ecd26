"""The standard streams of ranks: what each rank prints is kept apart."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

MAX_KEPT = 100_000  # characters kept per rank and execution; the rest is only counted


class RankOutput:
    """The output of all ranks in one execution."""

    def __init__(self, size: int) -> None:
        self._texts: list[list[str]] = [[] for _ in range(size)]
        self._lengths = [0] * size

    def add(self, rank: int, text: str) -> None:
        """Add text that a rank has printed."""
        if self._lengths[rank] < MAX_KEPT:
            self._texts[rank].append(text)
        self._lengths[rank] += len(text)

    def text(self, rank: int) -> str:
        """Return what a rank has printed, shortened if it is very long."""
        text = "".join(self._texts[rank])
        if self._lengths[rank] <= MAX_KEPT:
            return text
        return f"{text[:MAX_KEPT]}\n... ({self._lengths[rank] - MAX_KEPT:,} more characters)\n"

    @property
    def texts(self) -> tuple[str, ...]:
        """What the ranks have printed."""
        return tuple(self.text(rank) for rank in range(len(self._texts)))

    def labeled(self) -> str:
        """Return the output of all ranks, each line with its rank."""
        lines = []
        for rank in range(len(self._texts)):
            lines += [f"[{rank}] {line}\n" for line in self.text(rank).splitlines()]
        return "".join(lines)


class _Bytes(io.RawIOBase):
    """The binary layer of a stream."""

    def __init__(self, stream: RankStream) -> None:
        self._stream = stream

    def write(self, data: Any) -> int:
        """Add bytes to the output of the running rank, decoded as text."""
        self._stream.write(bytes(data).decode("utf-8", "replace"))
        return len(data)

    def writable(self) -> bool:
        """Return True."""
        return True


class RankStream(io.TextIOBase):
    """A standard stream that all ranks share; `running` returns the rank that writes."""

    encoding = "utf-8"

    def __init__(self, running: Callable[[], int], output: Callable[[], RankOutput]) -> None:
        self._running = running
        self._output = output
        self.buffer = _Bytes(self)

    def write(self, text: str) -> int:
        """Add text to the output of the running rank."""
        self._output().add(self._running(), text)
        return len(text)

    def writable(self) -> bool:
        """Return True."""
        return True

    def isatty(self) -> bool:
        """Return False, because the output is not shown on a terminal."""
        return False
