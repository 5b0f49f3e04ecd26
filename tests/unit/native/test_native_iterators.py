"""Iterators and generators are marked in the entities in both modes."""

from __future__ import annotations

from pathlib import Path

from controlled_recording import controlled, imported
from native_recording import record

from raddle.entities import Entities

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


def iterators(entities: Entities) -> list[str]:
    pairs = zip(entities.variables, entities.groups, strict=True)
    return sorted(variable.name for variable, group in pairs if group in entities.iterators)


def contents(entities: Entities) -> list[str]:
    return [variable.name for variable in entities.variables if variable.name.endswith("[]")]


def test_controlled_executions_mark_iterators(tmp_path: Path) -> None:
    with imported(tmp_path, "marked_iterators", SOURCE) as module:
        entities = controlled(module)
    assert len(iterators(entities)) == 2  # the generator and the list iterator
    assert "box[]" in set(contents(entities)) - set(iterators(entities))


def test_native_runs_mark_iterators(tmp_path: Path) -> None:
    entities = record(tmp_path, SOURCE).entities
    assert len(iterators(entities)) == 2
    assert "box[]" in set(contents(entities)) - set(iterators(entities))
