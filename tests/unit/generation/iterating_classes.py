"""Classes whose methods return iterators."""

from __future__ import annotations

import io
from collections.abc import Iterator


class Rows:
    """`rows` fails if another call adds a row while a thread iterates."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}

    def put(self, key: str) -> None:
        self._rows[key] = 1

    def rows(self) -> Iterator[str]:
        yield from self._rows

    def texts(self):
        return map(str, self._rows)

    def cursor(self):
        return Cursor()

    def reader(self):
        return io.StringIO("a")


class Cursor:
    """An iterator with a method of its own."""

    def __iter__(self):
        return self

    def __next__(self):
        raise StopIteration

    def position(self):
        return 0


class Items:
    """An iterator, and nothing else."""

    def __iter__(self):
        return self

    def __next__(self):
        raise StopIteration

    def close(self):
        pass
