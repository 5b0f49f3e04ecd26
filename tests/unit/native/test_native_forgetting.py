"""Memory that is bounded by what the program has: objects come and go, and what was covered is the same."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from natively import record, watching

from raddle.analysis.feasibility import Feasibility
from raddle.checks.lock_cycles import LockCycles
from raddle.checks.races import Races
from raddle.checks.warned_variables import WarnedVariables
from raddle.criteria import NAMES, make_criteria
from raddle.entities import AbstractObject, AbstractVariable, Entities, make_entities
from raddle.native.stream import ForgettingSink
from raddle.step import Step

THREADS, OBJECTS, EACH = 3, 12, 40  # steps while an object lives


def trace(seed: int) -> Iterator[tuple[list[Step], list[int], list[int]]]:
    """Steps about one object after the other, each with two variables and a lock; and what is no more after them.

    Object 0 lives as long as all others together.
    """
    chance = random.Random(seed)
    yield [(0, "begin", 0, 0), *((0, "start", n, 70000) for n in (1, 2)), *((n, "begin", n, 0) for n in (1, 2))], [], []
    for number in range(1, OBJECTS):
        steps: list[Step] = []
        for _ in range(EACH):
            thread, whole = chance.randrange(THREADS), chance.choice((0, number))
            variable = 2 * whole + chance.randrange(2)
            kind, locked = chance.choice(("read", "write")), chance.random() < 0.5
            access = (thread, kind, variable, 70001 + 10 * (variable % 2) + 2 * chance.randrange(3) + (kind == "write"))
            inside = [(thread, "acquire", whole, 70050), access, (thread, "release", whole, 70050)]
            steps += inside if locked else [access]
        yield steps, [2 * number, 2 * number + 1], [number]
    yield [(n, "end", n, 0) for n in (1, 2)], [], []


def entities() -> Entities:
    made = make_entities(
        variables=[AbstractVariable("m.py:C", "", "xy"[number % 2]) for number in range(2 * OBJECTS)],
        resources=[AbstractObject("Lock", "m.py:1")] * OBJECTS,
        actors=["main", "f", "g"],
    )
    made.groups[:] = [1 + number // 2 for number in range(2 * OBJECTS)]
    return made


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
def test_who_forgets_covers_the_same(name: str) -> None:
    """The reference is the criterion that is never told that anything is no more."""
    found = 0
    for seed in range(4):
        expected = covered(name, seed, forgetting=False)
        assert covered(name, seed, forgetting=True) == expected
        found += len(expected)
    assert found or name in ("blocks", "method-pairs", "goodlock", "goodlock*")  # of which the trace has nothing


@pytest.mark.parametrize("kind", [Races, WarnedVariables, LockCycles, Feasibility])
def test_checks_that_forget_find_the_same(kind: type) -> None:
    found = 0
    for seed in range(4):
        one, other = kind(), kind()
        for check in (one, other):
            check.begin(entities())
            for steps, variables, resources in trace(seed):
                check.feed(steps)
                if check is other:
                    check.forget(variables, resources)
        expected, result = [
            check.facts().as_json() if kind is Feasibility else check.warnings() for check in (one, other)
        ]
        assert result == expected
        found += len(expected)
    assert found or kind is LockCycles


def size(obj: Any) -> int:
    """How many entries all tables have that can be reached from here, but for those of the cast."""
    seen: set[int] = set()
    open_, total = [obj], 0
    while open_:
        one = open_.pop()
        if id(one) in seen or isinstance(one, (Entities, type, str, int)) or one is None:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            total += len(one)
            open_ += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple, set, frozenset)):
            total += len(one)
            open_ += one
        elif type(one).__module__.startswith("raddle"):
            slots = {slot for base in type(one).__mro__ for slot in getattr(base, "__slots__", ())}
            open_ += [getattr(one, slot) for slot in slots if hasattr(one, slot)]
            open_ += vars(one).values() if hasattr(one, "__dict__") else []
    return total


@pytest.mark.parametrize(
    "name", ["map", "avio", "du-pairs", "eraser", "goldilock", "hbpair", "sync", "races", "warned", "feasibility"]
)
def test_nothing_is_remembered_of_what_is_no_more(name: str) -> None:
    """A thread does the same with one object after the other: after each, as much is remembered as after the second."""
    checks: dict[str, Any] = {"races": Races, "warned": WarnedVariables, "feasibility": Feasibility}
    watching: Any = checks[name]() if name in checks else make_criteria(name)[0]
    watching.begin(entities())
    sizes = []
    for number in range(OBJECTS):
        for thread in (1, 2, 1):
            steps: list[Step] = [(thread, "acquire", number, 70050)]
            steps += [(thread, kind, 2 * number + n, 70001 + n) for n in (0, 1) for kind in ("read", "write")]
            watching.feed([*steps, (thread, "release", number, 70050)])
        if name not in checks:
            watching.collect(final=False)
        watching.forget([2 * number, 2 * number + 1], [number])
        sizes.append(size(watching))
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


class Told:
    """A sink that can forget."""

    def __init__(self) -> None:
        self.variables: set[int] = set()
        self.forgotten: set[int] = set()

    def begin(self, entities: Entities) -> None:
        self.entities = entities

    def feed(self, steps: list[Step]) -> None:
        told = {target for _, kind, target, _ in steps if kind in ("read", "write")}
        assert not told & self.forgotten, "there are steps about what is no more"
        self.variables |= told

    def forget(self, variables: Any, resources: Any) -> None:
        self.forgotten |= set(variables)

    def end(self) -> None:
        """It is over."""


def test_numbers_are_given_out_again(tmp_path: Path) -> None:
    """3000 objects with three variables each; what there is at a time is what a few hand-overs have seen.

    The threads run one after the other: how much one makes while another hands over is the machine's affair.
    """
    (tmp_path / "points_program.py").write_text("\n".join(line[4:] for line in MANY.split("\n")))
    told = Told()
    assert isinstance(told, ForgettingSink)
    sys.path.insert(0, str(tmp_path))
    try:
        with watching(tmp_path) as (watch, _):
            watch.stream.sink = told
            told.begin(watch.recorder.registry.entities)
            importlib.invalidate_caches()
            importlib.import_module("points_program").main()
        assert watch.stream.error is None
        assert watch.stream.delivered_steps > 30_000
        assert len(told.entities.variables) < 9_000 / 2
        assert not told.variables  # no two threads touch the same
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("points_program", None)


def test_a_sink_that_cannot_forget_is_told_everything(tmp_path: Path) -> None:
    told = record(tmp_path, MANY.replace("1500", "300"))
    assert sum(kind == "write" for _, kind in told.accesses("Point.x")) == 2 * 300 * 2
