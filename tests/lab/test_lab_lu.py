"""The experiment on Lu's criteria: complete test sets by hand, the bounds, and small programs from end to end."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("scipy")

from raddle_lab import lu
from raddle_lab.collection import Coverage
from raddle_lab.lu import Plan, ProgramResult, Sets, chance_to_expose, complete_set, complete_sets, run_program
from raddle_lab.lu_bounds import BOUNDS, CRITERIA, Shape
from raddle_lab.lu_table import report

import raddle
from raddle.cli.lab import lab
from raddle.criteria.observed_accesses import ObservedAccesses
from raddle.entities import AbstractVariable
from raddle.errors import UsageError


def coverage(*executions: list[int], distinct: int) -> Coverage:
    return Coverage(tuple(np.array(one, dtype=np.int32) for one in executions), distinct)


# -- complete test sets -------------------------------------------------------------------------------


def test_a_set_holds_what_covers_something_new_and_nothing_superfluous() -> None:
    # 0 covers a, 1 covers a and b, 2 covers b, 3 covers c. In this order 0, 1 and 3 cover something new, and without 0
    # the others are still complete. Four executions were needed, as c comes last.
    some = coverage([0], [0, 1], [1], [2], distinct=3)
    assert complete_set(some, [0, 1, 2, 3]) == ([1, 3], 4)
    # In this order 2, 3 and 0 cover b, c and a; so the first three are complete, and none of them can be left out.
    assert complete_set(some, [2, 3, 0, 1]) == ([2, 3, 0], 3)


def test_nothing_to_cover_needs_no_execution() -> None:
    nothing = coverage([], [], distinct=0)
    assert complete_set(nothing, [0, 1]) == ([], 0)
    sets = complete_sets(nothing, np.array([True, True]), [[0, 1]], total=0, exhausted=True)
    assert (sets.size, sets.least, sets.exposing, sets.at_random) == (0, 0, 0, 0)


def test_every_drawn_set_is_complete_and_irredundant() -> None:
    generator = np.random.Generator(np.random.PCG64(3))
    for _ in range(50):
        some = coverage(*[sorted(generator.choice(6, size=3, replace=False)) for _ in range(8)], distinct=6)
        seen = set(np.concatenate(some.executions))
        if len(seen) < 6:
            continue
        chosen, needed = complete_set(some, list(generator.permutation(8)))
        assert set(np.concatenate([some.executions[one] for one in chosen])) == seen
        assert len(chosen) <= needed
        for left_out in chosen:
            rest = [some.executions[one] for one in chosen if one != left_out]
            assert set(np.concatenate(rest)) != seen


def test_what_sets_expose() -> None:
    # Only execution 0 fails. Both orders give the set of 0 and 1, as 2 covers nothing that 1 does not; in the second
    # one 2 comes first and becomes superfluous through 1.
    some = coverage([0], [1, 2], [1], distinct=3)
    failed = np.array([True, False, False])
    sets = complete_sets(some, failed, [[0, 1, 2], [2, 1, 0]], total=5, exhausted=False)
    assert (sets.total, sets.feasible, sets.size, sets.exposing) == (5, 3, 2, 1)
    assert sets.least == 2  # no execution covers more than two of the three
    assert sets.executions == (2 + 3) / 2
    assert sets.at_random == pytest.approx(2 / 3)  # two of three executions hold a certain one
    assert sets.unseen == pytest.approx(2 / 3)  # requirements 0 and 2 were covered once, in three executions


@pytest.mark.parametrize(
    ("executions", "failing", "size", "chance"),
    [(10, 0, 5, 0), (10, 10, 1, 1), (4, 1, 2, 1 / 2), (4, 2, 2, 5 / 6), (4, 2, 3, 1), (4, 2, 0, 0)],
)
def test_the_chance_of_as_many_at_random(executions: int, failing: int, size: int, chance: float) -> None:
    # Of the C(4, 2) = 6 pairs of four executions, C(2, 2) = 1 has neither of the two that fail.
    assert chance_to_expose(executions, failing, size) == pytest.approx(chance)


# -- the bounds of Table 1 ----------------------------------------------------------------------------


def test_bounds_of_the_paper_s_example() -> None:
    # Four threads with four accesses each, two to each of two variables: 4^4 / √4 = 128 and 4^2 / √2 = 11.3.
    shape = Shape(threads=4, accesses=4, variables=2)
    upper = {name: bound.value(shape) for name, (_, bound) in BOUNDS.items()}
    assert upper == {
        "all": "2e6",  # 128^3 = 2,097,152
        "tpair": "512",  # 128 · 4
        "svar": "91",  # 11.3 · 2 · 4
        "pinv": "32",  # 16 · 4 / 2
        "def-use": "36",  # and 4 more
        "lr-inv": "16",
        "lr-def": "16",
    }
    lower = {name: bound.value(shape) for name, (bound, _) in BOUNDS.items() if bound}
    assert lower == {"all": "2e6", "tpair": "128", "svar": "11"}


def test_bounds_with_hundreds_of_digits() -> None:
    # (4^100 / √100)^9 = 4^900 / 10^9, and 900 · log10(4) = 541.854: 10^532.854 = 7e532.
    assert BOUNDS["all"][1].value(Shape(threads=10, accesses=100, variables=1)) == "7e532"
    assert BOUNDS["all"][1].value(Shape(threads=0, accesses=0, variables=0)) == "0"


def test_the_shape_of_a_program() -> None:
    x, y = AbstractVariable("m.py", "", "x"), AbstractVariable("m.py", "", "y")
    # T1 had three accesses in one execution and five in another, T2 three: (5 + 3) / 2.
    threads = ObservedAccesses(
        2, lines={(None, "T1", ((0, 3),), "a"), (None, "T1", ((0, 1), (1, 4)), "b"), (None, "T2", ((0, 3),), "c")}
    )
    variables = ObservedAccesses(
        2, lines={(x, "T1", ((0, 3),), "a"), (y, "T1", ((0, 2),), "b"), (x, "T2", ((0, 3),), "c")}
    )
    assert Shape.of(threads, variables) == Shape(threads=2, accesses=4, variables=2)


def test_the_criteria_are_those_of_the_family() -> None:
    from raddle.criteria import NAMES, make_criteria

    assert set(CRITERIA) == {one.name for one in make_criteria(NAMES) if one.family == "Lu et al."}


# -- programs -----------------------------------------------------------------------------------------


def test_programs_are_mutants_and_known_bugs() -> None:
    names = lu.program_names()
    assert {"bank-0", "bank-3", "deadlock01", "work_steal_queue"} <= set(names)
    assert "bank-4" not in names  # it has four locks
    assert "fsbench" not in names  # fails in every schedule
    assert "reorder_100" not in names  # has a hundred threads


def test_a_program_that_can_be_exhausted() -> None:
    # Each of token_ring's four threads is one critical section: 4! = 24 orders, and the accesses to shared variables
    # come in another order in each of them.
    result = run_program("token_ring", Plan(programs=(), exhaust=100, sets=10))
    assert (result.exhausted, result.executions) == (True, 24)
    assert result.sets["all"].size == result.sets["all"].feasible == 24
    assert result.sets["all"].exposing == 1  # every order is in the set, so that which fails is
    assert all(sets.unseen == 0 for sets in result.sets.values())
    # A set complete for all is complete for tpair, and that for svar: so the least that one needs grows.
    assert result.sets["all"].least >= result.sets["tpair"].least >= result.sets["svar"].least > 0


@pytest.mark.parametrize("name", ["account", "deadlock01", "lazy01", "twostage"])
def test_what_is_exhausted_is_all_that_can_be_covered(name: str) -> None:
    # An exploration that measures these criteria switches threads wherever that makes a difference to one of them, and
    # knows when it has covered everything. So what it covers is exact. It runs no fewer executions than are collected.
    result = run_program(name, Plan(programs=(), executions=50, exhaust=100, sets=1))
    assert result.exhausted
    with lu.scenario_of(name) as (scenario, source):
        explored = raddle.explore(
            scenario,
            scheduler="exhaustive",
            until="exhausted",
            executions=1_000,
            criteria=CRITERIA,
            shrink=False,
            source=source,
        )
    assert explored.stopped_because == "exhausted"
    assert explored.executions >= result.executions
    assert {name: len(keys) for name, keys in explored.tally.covered.items()} == {
        name: sets.feasible for name, sets in result.sets.items()
    }


def test_a_program_that_cannot() -> None:
    plan = Plan(programs=(), executions=10, exhaust=10, sets=3)
    result = run_program("bank-0", plan)
    assert (result.exhausted, result.executions) == (False, 10)
    assert set(result.sets) == set(CRITERIA) - {"all"}
    for sets in result.sets.values():
        assert sets.least <= sets.size <= sets.executions <= 10
        assert sets.total is None or sets.feasible <= sets.total
    assert run_program("bank-0", plan) == result


def sets(size: float, exposing: float, at_random: float = 0.25) -> Sets:
    return Sets(None, 9, 2, size, 2 * size, exposing, at_random, 0.0)


def test_the_tables_by_hand() -> None:
    shape = Shape(threads=4, accesses=4, variables=2)
    results = [
        ProgramResult("one", True, 24, 4, shape, dict.fromkeys(CRITERIA, sets(4, 1.0))),
        ProgramResult("two", True, 12, 4, shape, dict.fromkeys(CRITERIA, sets(2, 0.5))),
        ProgramResult("big", False, 500, 4, shape, dict.fromkeys(CRITERIA[1:], sets(90, 0.9))),
        ProgramResult("fine", True, 2, 0, shape, dict.fromkeys(CRITERIA, sets(1, 0.0))),
    ]
    text = report(results)
    rows = [line.split() for line in text.splitlines()]
    assert ["big", "500+", "4", "4.0", "2", "-", "90/512", "90/91", "90/32", "90/36", "90/16", "90/16"] in rows
    assert ["one", "24", "4", "4.0", "2", "4/2e6", "4/512", "4/91", "4/32", "4/36", "4/16", "4/16"] in rows
    # The means of one and two: sets of 3, 6 executions, exposed by (1 + 0.5) / 2. `fine` has no bug.
    assert ["all", "2", "9", "3.0", "6.0", "75", "25", "0"] in rows
    assert ["tpair", "1", "9", "90.0", "180.0", "90", "25", "0"] in rows
    assert text.endswith("no bug to expose: fine")
    assert max(map(len, text.splitlines())) < 120


# -- the command --------------------------------------------------------------------------------------


def run(*args: str) -> Any:
    return CliRunner().invoke(lab, ["lu", *args], catch_exceptions=False, standalone_mode=False)


def test_the_command(tmp_path: Any) -> None:
    args = ("--quick", "--sets", "4", "--jobs", "1", "--programs", "deadlock01,names-0", "--output", str(tmp_path))
    result = run(*args)
    assert result.return_value == 0
    assert result.stdout.startswith("--quick: 40 executions are too few")
    data = json.loads((tmp_path / "lu.json").read_text(encoding="utf-8"))
    assert [(one["program"], one["exhausted"]) for one in data["programs"]] == [
        ("deadlock01", True),
        ("names-0", False),
    ]
    assert data["bounds"]["lr-def"] == {"lower": None, "upper": "n M"}
    assert data["programs"][0]["criteria"]["all"]["upper_bound"].isdigit()
    again = json.loads(run(*args, "--json").stdout)
    assert again.pop("interrupted") is False
    assert again == data
    other = json.loads(run(*args, "--json", "--seed", "2").stdout)
    assert other["programs"][1] != data["programs"][1]


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="there is no program 'reorder_100'; there are allocator-0"):
        run("--programs", "reorder_100")
