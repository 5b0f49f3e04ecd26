"""The experiment on Lu's criteria: complete test sets, the bounds in Table 1, and small programs end to end."""

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
    return Coverage(tuple(np.array(execution, dtype=np.int32) for execution in executions), distinct)


# -- complete test sets -------------------------------------------------------------------------------


def test_a_complete_set_has_no_redundant_executions() -> None:
    # Execution 0 covers requirement 0, execution 1 covers 0 and 1, execution 2 covers 1, and execution 3 covers 2. In
    # this order, executions 0, 1 and 3 cover something new. The set is still complete without execution 0. Completing
    # the set took four executions, because requirement 2 is covered last.
    collected_coverage = coverage([0], [0, 1], [1], [2], distinct=3)
    assert complete_set(collected_coverage, [0, 1, 2, 3]) == ([1, 3], 4)
    # In this order, executions 2, 3 and 0 cover requirements 1, 2 and 0. So the first three executions form a complete
    # set, and none of them is redundant.
    assert complete_set(collected_coverage, [2, 3, 0, 1]) == ([2, 3, 0], 3)


def test_no_execution_is_needed_if_there_is_nothing_to_cover() -> None:
    nothing = coverage([], [], distinct=0)
    assert complete_set(nothing, [0, 1]) == ([], 0)
    sets = complete_sets(nothing, np.array([True, True]), [[0, 1]], total=0, exhausted=True)
    assert (sets.size, sets.least, sets.exposing, sets.at_random) == (0, 0, 0, 0)


def test_every_drawn_set_is_complete_and_irredundant() -> None:
    generator = np.random.Generator(np.random.PCG64(3))
    for _ in range(50):
        collected_coverage = coverage(
            *[sorted(generator.choice(6, size=3, replace=False)) for _ in range(8)], distinct=6
        )
        required = set(np.concatenate(collected_coverage.executions))
        if len(required) < 6:
            continue
        chosen, needed = complete_set(collected_coverage, list(generator.permutation(8)))
        assert set(np.concatenate([collected_coverage.executions[number] for number in chosen])) == required
        assert len(chosen) <= needed
        for omitted in chosen:
            rest = [collected_coverage.executions[number] for number in chosen if number != omitted]
            assert set(np.concatenate(rest)) != required


def test_complete_sets_count_how_often_they_expose_the_bug() -> None:
    # Only execution 0 fails. Both orders give the set of executions 0 and 1, because execution 1 covers everything that
    # execution 2 covers. In the second order, execution 2 comes first and becomes redundant when execution 1 is added.
    collected_coverage = coverage([0], [1, 2], [1], distinct=3)
    failed = np.array([True, False, False])
    sets = complete_sets(collected_coverage, failed, [[0, 1, 2], [2, 1, 0]], total=5, exhausted=False)
    assert (sets.total, sets.feasible, sets.size, sets.exposing) == (5, 3, 2, 1)
    assert sets.least == 2  # no execution covers more than two of the three requirements
    assert sets.executions == (2 + 3) / 2
    # Two executions drawn from the three include the failing one with probability 2/3.
    assert sets.at_random == pytest.approx(2 / 3)
    assert sets.unseen == pytest.approx(2 / 3)  # requirements 0 and 2 were covered only once in three executions


@pytest.mark.parametrize(
    ("executions", "failing", "size", "chance"),
    [(10, 0, 5, 0), (10, 10, 1, 1), (4, 1, 2, 1 / 2), (4, 2, 2, 5 / 6), (4, 2, 3, 1), (4, 2, 0, 0)],
)
def test_chance_to_expose_counts_selections_with_a_failing_execution(
    executions: int, failing: int, size: int, chance: float
) -> None:
    # Of the C(4, 2) = 6 pairs of four executions, C(2, 2) = 1 contains neither of the two failing ones.
    assert chance_to_expose(executions, failing, size) == pytest.approx(chance)


# -- the bounds in Table 1 ----------------------------------------------------------------------------


def test_bounds_match_the_papers_example() -> None:
    # Four threads each access two variables twice: 4^4 / √4 = 128 and 4^2 / √2 = 11.3.
    shape = Shape(threads=4, accesses=4, variables=2)
    upper = {name: bound.value(shape) for name, (_, bound) in BOUNDS.items()}
    assert upper == {
        "all": "2e6",  # 128^3 = 2,097,152
        "tpair": "512",  # 128 · 4
        "svar": "91",  # 11.3 · 2 · 4
        "pinv": "32",  # 16 · 4 / 2
        "def-use": "36",  # 32 + 4
        "lr-inv": "16",
        "lr-def": "16",
    }
    lower = {name: bound.value(shape) for name, (bound, _) in BOUNDS.items() if bound}
    assert lower == {"all": "2e6", "tpair": "128", "svar": "11"}


def test_bounds_with_hundreds_of_digits_are_rounded() -> None:
    # (4^100 / √100)^9 = 4^900 / 10^9, and 900 · log10(4) = 541.854: 10^532.854 = 7e532.
    assert BOUNDS["all"][1].value(Shape(threads=10, accesses=100, variables=1)) == "7e532"
    assert BOUNDS["all"][1].value(Shape(threads=0, accesses=0, variables=0)) == "0"


def test_the_shape_uses_the_execution_with_most_accesses_of_each_thread() -> None:
    x, y = AbstractVariable("m.py", "", "x"), AbstractVariable("m.py", "", "y")
    # T1 made three accesses in one execution and five in another, of which only the five count. T2 made three, so the
    # average is (5 + 3) / 2.
    threads = ObservedAccesses(
        2, lines={(None, "T1", ((0, 3),), "a"), (None, "T1", ((0, 1), (1, 4)), "b"), (None, "T2", ((0, 3),), "c")}
    )
    variables = ObservedAccesses(
        2, lines={(x, "T1", ((0, 3),), "a"), (y, "T1", ((0, 2),), "b"), (x, "T2", ((0, 3),), "c")}
    )
    assert Shape.of(threads, variables) == Shape(threads=2, accesses=4, variables=2)


def test_the_criteria_are_those_of_lus_family() -> None:
    from raddle.criteria import NAMES, make_criteria

    assert set(CRITERIA) == {criterion.name for criterion in make_criteria(NAMES) if criterion.family == "Lu et al."}


# -- programs -----------------------------------------------------------------------------------------


def test_program_names_lists_mutants_and_programs_with_known_bugs() -> None:
    names = lu.program_names()
    assert {"bank-0", "bank-3", "deadlock01", "work_steal_queue"} <= set(names)
    assert "bank-4" not in names  # the subject has only four locks, 0 to 3
    assert "fsbench" not in names  # the program fails in every schedule
    assert "reorder_100" not in names  # the program has a hundred threads


def test_a_small_program_is_explored_exhaustively() -> None:
    # Each of token_ring's four threads runs one critical section, so there are 4! = 24 orders. In each of them, the
    # accesses to shared variables are ordered differently.
    result = run_program("token_ring", Plan(programs=(), exhaust=100, sets=10))
    assert (result.exhausted, result.executions) == (True, 24)
    assert result.sets["all"].size == result.sets["all"].feasible == 24
    assert result.sets["all"].exposing == 1  # the set contains every order, including the failing one
    assert all(sets.unseen == 0 for sets in result.sets.values())
    # A set that is complete for `all` is complete for `tpair`, and a set that is complete for `tpair` is complete for
    # `svar`. So the minimum size for `all` is the largest, and that for `svar` is the smallest.
    assert result.sets["all"].least >= result.sets["tpair"].least >= result.sets["svar"].least > 0


@pytest.mark.parametrize("name", ["account", "deadlock01", "lazy01", "twostage"])
def test_an_exhausted_program_covers_everything_feasible(name: str) -> None:
    # An exploration that measures these criteria switches threads wherever a criterion can distinguish the result. It
    # also detects when it is exhausted, so its coverage is exact. It runs at least as many executions as are collected.
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


def test_a_large_program_is_sampled_reproducibly() -> None:
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


def test_the_tables_show_sizes_bounds_and_means() -> None:
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
    # These are the means of `one` and `two`: sets of size 3, 6 executions, and a bug exposed by (1 + 0.5) / 2 of the
    # sets. `fine` has no bug, so it does not count.
    assert ["all", "2", "9", "3.0", "6.0", "75", "25", "0"] in rows
    assert ["tpair", "1", "9", "90.0", "180.0", "90", "25", "0"] in rows
    assert text.endswith("no bug to expose: fine")
    assert max(map(len, text.splitlines())) < 120


# -- the command --------------------------------------------------------------------------------------


def run(*args: str) -> Any:
    return CliRunner().invoke(lab, ["lu", *args], catch_exceptions=False, standalone_mode=False)


def test_the_command_writes_reproducible_results(tmp_path: Any) -> None:
    args = ("--quick", "--sets", "4", "--jobs", "1", "--programs", "deadlock01,names-0", "--output", str(tmp_path))
    result = run(*args)
    assert result.return_value == 0
    assert result.stdout.startswith("--quick: 40 executions are too few")
    data = json.loads((tmp_path / "lu.json").read_text(encoding="utf-8"))
    assert [(program["program"], program["exhausted"]) for program in data["programs"]] == [
        ("deadlock01", True),
        ("names-0", False),
    ]
    assert data["bounds"]["lr-def"] == {"lower": None, "upper": "n M"}
    assert data["programs"][0]["criteria"]["all"]["upper_bound"].isdigit()
    repeated = json.loads(run(*args, "--json").stdout)
    assert repeated.pop("interrupted") is False
    assert repeated == data
    other = json.loads(run(*args, "--json", "--seed", "2").stdout)
    assert other["programs"][1] != data["programs"][1]


def test_an_unknown_program_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="there is no program 'reorder_100'; choose from allocator-0"):
        run("--programs", "reorder_100")
