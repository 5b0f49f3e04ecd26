"""Iterators and generators are marked in the cast, in both modes."""

from __future__ import annotations

from pathlib import Path

from natively import record
from under_control import controlled, imported

from raddle.cast import Cast

SOURCE = """\
import threading

def count():
    yield from range(10)

def work(numbers, items, box):
    next(numbers)
    next(items)
    box.append(1)

def main():
    arguments = (count(), iter([1, 2, 3]), [])
    threads = [threading.Thread(target=work, args=arguments) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def iterators(cast: Cast) -> list[str]:
    pairs = zip(cast.variables, cast.groups, strict=True)
    return sorted(variable.name for variable, group in pairs if group in cast.iterators)


def contents(cast: Cast) -> list[str]:
    return [variable.name for variable in cast.variables if variable.name.endswith("[]")]


def test_under_control(tmp_path: Path) -> None:
    with imported(tmp_path, "marked_iterators", SOURCE) as module:
        cast = controlled(module)
    assert len(iterators(cast)) == 2  # the generator, and the iterator of the list
    assert "box[]" in set(contents(cast)) - set(iterators(cast))


def test_natively(tmp_path: Path) -> None:
    cast = record(tmp_path, SOURCE).cast
    assert len(iterators(cast)) == 2
    assert "box[]" in set(contents(cast)) - set(iterators(cast))
