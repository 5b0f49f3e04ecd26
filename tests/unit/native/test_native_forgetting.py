"""The program's live objects determine the memory use. Forgetting dead objects does not change the coverage."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from native_recording import record, watching

from raddle.analysis.feasibility import Feasibility
from raddle.checks.lock_cycles import LockCycles
from raddle.checks.races import Races
from raddle.checks.warned_variables import WarnedVariables
from raddle.criteria import THREADS as NAMES
from raddle.criteria import make_criteria
from raddle.entities import AbstractObject, AbstractVariable, Entities, make_entities
from raddle.native.stream import ForgettingSink
from raddle.step import Step

THREADS, OBJECTS = 3, 12
STEPS_PER_OBJECT = 40


def trace(seed: int) -> Iterator[tuple[list[Step], list[int], list[int]]]:
    """Yield batches of steps, each with the variables and resources that are dead after the batch.

    Each object has two variables and a lock. Object 0 lives until the end, and the others are used in one batch each.
    """
    chance = random.Random(seed)
    yield [(0, "begin", 0, 0), *((0, "start", n, 70000) for n in (1, 2)), *((n, "begin", n, 0) for n in (1, 2))], [], []
    for number in range(1, OBJECTS):
        steps: list[Step] = []
        for _ in range(STEPS_PER_OBJECT):
            thread, obj = chance.randrange(THREADS), chance.choice((0, number))
            variable = 2 * obj + chance.randrange(2)
            kind, locked = chance.choice(("read", "write")), chance.random() < 0.5
            access = (thread, kind, variable, 70001 + 10 * (variable % 2) + 2 * chance.randrange(3) + (kind == "write"))
            inside = [(thread, "acquire", obj, 70050), access, (thread, "release", obj, 70050)]
            steps += inside if locked else [access]
        yield steps, [2 * number, 2 * number + 1], [number]
    yield [(n, "end", n, 0) for n in (1, 2)], [], []


def entities() -> Entities:
    created = make_entities(
        variables=[AbstractVariable("m.py:C", "", "xy"[number % 2]) for number in range(2 * OBJECTS)],
        resources=[AbstractObject("Lock", "m.py:1")] * OBJECTS,
        actors=["main", "f", "g"],
    )
    created.groups[:] = [1 + number // 2 for number in range(2 * OBJECTS)]
    return created


def covered(name: str, seed: int, *, forgetting: bool) -> set[Any]:
    (criterion,) = make_criteria(name)
    criterion.begin(entities())
    keys: set[Any] = set()
    for steps, variables, resources in trace(seed):
        criterion.feed(steps)
        if forgetting:
            keys |= criterion.collect(final=False)
            criterion.forget(variables, resources)
    return keys | criterion.collect(final=True)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("all", "tpair", "svar")])
def test_a_criterion_that_forgets_covers_the_same_requirements(name: str) -> None:
    """The reference is the same criterion without calls to `forget`."""
    found = 0
    for seed in range(4):
        expected = covered(name, seed, forgetting=False)
        assert covered(name, seed, forgetting=True) == expected
        found += len(expected)
    # The trace covers no requirements of these criteria.
    assert found or name in ("blocks", "method-pairs", "goodlock", "goodlock*")


@pytest.mark.parametrize("kind", [Races, WarnedVariables, LockCycles, Feasibility])
def test_checks_that_forget_give_the_same_results(kind: type) -> None:
    found = 0
    for seed in range(4):
        reference, forgetful = kind(), kind()
        for check in (reference, forgetful):
            check.begin(entities())
            for steps, variables, resources in trace(seed):
                check.feed(steps)
                if check is forgetful:
                    check.forget(variables, resources)
        expected, result = [
            check.facts().as_json() if kind is Feasibility else check.warnings() for check in (reference, forgetful)
        ]
        assert result == expected
        found += len(expected)
    assert found or kind is LockCycles


def size(obj: Any) -> int:
    """Return the number of entries in all containers reachable from the object, except the entities."""
    seen: set[int] = set()
    pending, total = [obj], 0
    while pending:
        current = pending.pop()
        if id(current) in seen or isinstance(current, (Entities, type, str, int)) or current is None:
            continue
        seen.add(id(current))
        if isinstance(current, dict):
            total += len(current)
            pending += [*current.keys(), *current.values()]
        elif isinstance(current, (list, tuple, set, frozenset)):
            total += len(current)
            pending += current
        elif type(current).__module__.startswith("raddle"):
            slots = {slot for base in type(current).__mro__ for slot in getattr(base, "__slots__", ())}
            pending += [getattr(current, slot) for slot in slots if hasattr(current, slot)]
            pending += vars(current).values() if hasattr(current, "__dict__") else []
    return total


@pytest.mark.parametrize(
    "name", ["map", "avio", "du-pairs", "eraser", "goldilock", "hbpair", "sync", "races", "warned", "feasibility"]
)
def test_dead_objects_leave_nothing_in_memory(name: str) -> None:
    """Threads take the same steps on one object after another, but memory use does not grow after the second object."""
    checks: dict[str, Any] = {"races": Races, "warned": WarnedVariables, "feasibility": Feasibility}
    observer: Any = checks[name]() if name in checks else make_criteria(name)[0]
    observer.begin(entities())
    sizes = []
    for number in range(OBJECTS):
        for thread in (1, 2, 1):
            steps: list[Step] = [(thread, "acquire", number, 70050)]
            steps += [(thread, kind, 2 * number + n, 70001 + n) for n in (0, 1) for kind in ("read", "write")]
            observer.feed([*steps, (thread, "release", number, 70050)])
        if name not in checks:
            observer.collect(final=False)
        observer.forget([2 * number, 2 * number + 1], [number])
        sizes.append(size(observer))
    assert max(sizes[2:]) <= sizes[1]


# -- in a program -------------------------------------------------------------------------------------------------

MANY = """
    import threading
    class Point:
        def __init__(self): self.x, self.items = 0, []
        def move(self):
            self.x += 1
            self.items.append(self.x)
    def work(number):
        def count():
            nonlocal number
            number += 1
        for _ in range(1500): Point().move()
        count()
    def main():
        threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
        for thread in threads:
            thread.start()
            thread.join()
    """


class ForgettingRecorder:
    """A sink that supports `forget` and fails if it receives steps on forgotten variables."""

    def __init__(self) -> None:
        self.variables: set[int] = set()
        self.forgotten: set[int] = set()

    def begin(self, entities: Entities) -> None:
        self.entities = entities

    def feed(self, steps: list[Step]) -> None:
        accessed = {target for _, kind, target, _ in steps if kind in ("read", "write")}
        assert not accessed & self.forgotten, "there are steps on forgotten variables"
        self.variables |= accessed

    def forget(self, variables: Any, resources: Any) -> None:
        self.forgotten |= set(variables)

    def end(self) -> None:
        """Ignore the end of the stream."""


def test_numbers_of_dead_objects_are_reused(tmp_path: Path) -> None:
    """The program creates 3000 objects with three variables each, but few variables have numbers at any one time.

    The threads run one after the other, because otherwise the number of steps that one thread records while the other
    delivers would depend on timing.
    """
    (tmp_path / "points_program.py").write_text("\n".join(line[4:] for line in MANY.split("\n")))
    sink = ForgettingRecorder()
    assert isinstance(sink, ForgettingSink)
    sys.path.insert(0, str(tmp_path))
    try:
        with watching(tmp_path) as (watch, _):
            watch.stream.sink = sink
            sink.begin(watch.recorder.registry.entities)
            importlib.invalidate_caches()
            importlib.import_module("points_program").main()
        assert watch.stream.error is None
        assert watch.stream.delivered_steps > 30_000
        assert len(sink.entities.variables) < 9_000 / 2
        assert not sink.variables  # no variable is accessed by two threads
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("points_program", None)


def test_a_sink_that_cannot_forget_receives_every_step(tmp_path: Path) -> None:
    recorded = record(tmp_path, MANY.replace("1500", "300"))
    assert sum(kind == "write" for _, kind in recorded.accesses("Point.x")) == 2 * 300 * 2
