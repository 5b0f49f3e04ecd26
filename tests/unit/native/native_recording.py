"""Runs small programs natively in this process and keeps the recorded steps."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from raddle.entities import Entities
from raddle.native.recorder import FOREIGN
from raddle.native.watch import Watch
from raddle.site import SiteTable
from raddle.step import Step


@dataclass
class KeptSteps:
    """A sink that keeps all steps."""

    steps: list[Step] = field(default_factory=list)
    batches: int = 0
    entities: Entities | None = None
    ended: bool = False

    def begin(self, entities: Entities) -> None:
        self.entities = entities

    def feed(self, steps: Sequence[Step]) -> None:
        self.steps += steps
        self.batches += 1

    def end(self) -> None:
        self.ended = True


@dataclass
class Recorded:
    """The recorded steps of a program and the value that it returned."""

    steps: list[Step]
    entities: Entities
    table: SiteTable
    value: Any
    watch: Watch

    def named_steps(self, *kinds: str) -> list[tuple[int, str, str]]:
        """Return (thread, kind, name of the target) for each step of these kinds."""
        return [(thread, kind, self.name(kind, target)) for thread, kind, target, _ in self.steps if kind in kinds]

    def name(self, kind: str, target: int) -> str:
        if kind in ("read", "write"):
            return str(self.entities.variables[target])
        if kind in ("begin", "task"):
            return self.entities.thread(target).type
        if kind in ("start", "join", "end", "enter", "leave", "block"):
            return str(target)
        return self.entities.resources[target].type

    def lines(self, kind: str) -> list[int]:
        """Return the line of each step of this kind, or 0 for a step in uninstrumented code."""
        return [self.table[site].line if site else 0 for _, step_kind, _, site in self.steps if step_kind == kind]

    def accesses(self, name: str) -> list[tuple[int, str]]:
        """Return (thread, kind) for every access to variables with this name."""
        return [
            (thread, kind)
            for thread, kind, target, _ in self.steps
            if kind in ("read", "write") and str(self.entities.variables[target]) == name
        ]


@contextmanager
def watching(folder: Path, **options: Any) -> Iterator[tuple[Watch, KeptSteps]]:
    """Watch all modules that are imported from the folder, and keep their steps."""
    kept = KeptSteps()
    watch = Watch(lambda name, path: path is not None and path.startswith(str(folder)), lambda names: kept, **options)
    watch.start()
    try:
        yield watch, kept
    finally:
        watch.stop()


def record(folder: Path, source: str, *, function: str = "main", **options: Any) -> Recorded:
    """Import the source as a module, call one of its functions and return what was recorded."""
    name = f"program_{abs(hash((str(folder), source))):x}"
    (folder / f"{name}.py").write_text(dedent(source))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        with watching(folder, **options) as (watch, kept):
            module = importlib.import_module(name)
            value = getattr(module, function)()
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(name, None)
    assert watch.stream.error is None, watch.stream.error
    assert kept.ended
    assert kept.entities is not None
    check_order(kept.steps, kept.entities)
    return Recorded(kept.steps, kept.entities, watch.table, value, watch)


def check_order(steps: Sequence[Step], entities: Entities) -> None:
    """Assert that a lock has one holder at a time, and that threads begin after a start and end before a join returns.

    Threads of the test runner may appear in the stream, because the garbage collector runs destructors in any thread.
    """
    holders: dict[int, int] = {}
    started, begun, ended = {0}, set(), set()
    for thread, kind, target, _ in steps:
        assert thread not in ended, f"thread {thread} has a step after its end"
        if kind == "acquire":
            assert target not in holders, f"thread {thread} acquires lock {target}, which {holders[target]} holds"
            holders[target] = thread
        elif kind == "release":
            assert holders.pop(target, None) is not None, f"lock {target} is released but not held"
        elif kind == "start":
            started.add(target)
        elif kind == "begin":
            assert thread in started or entities.thread(target).type == FOREIGN
            begun.add(thread)
        elif kind == "end":
            ended.add(thread)
        elif kind == "join":
            assert target in ended
        assert thread in begun
