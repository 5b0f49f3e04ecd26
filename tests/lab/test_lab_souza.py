"""`raddle lab souza`: the example of the paper, costs, defects, and tables made from results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("scipy")

from raddle_lab.messages.programs import PROGRAMS
from raddle_lab.result_log import ResultLog
from raddle_lab.souza.cell import Cell, Part
from raddle_lab.souza.cost_tables import table_4, table_9, table_10
from raddle_lab.souza.costs import costs
from raddle_lab.souza.defect_search import Reference, drawn
from raddle_lab.souza.defect_tables import table_8
from raddle_lab.souza.element_tables import table_1
from raddle_lab.souza.experiment import NAMES, Plan, Run, runs_of
from raddle_lab.souza.published import TABLE_1_EDGES
from raddle_lab.souza.random_inputs import random_inputs
from raddle_lab.souza.report import TABLES, report
from raddle_lab.souza.run_cell import run as run_cell
from raddle_lab.souza.study import APPROACHES, Study

from raddle.cli.lab import lab
from raddle.exit_code import ExitCode
from raddle.messages.strategies import Attempt

ONE = Plan(programs=("reduction",), executions=5, random_runs=2, pool=1, mutants=1, mutant_executions=2)


def study_of(plan: Plan, results: dict[Cell, dict[str, Any]]) -> Study:
    return Study(plan, tuple(Run(cell, {"end": "finished", **result}) for cell, result in results.items()), {})


# -- measuring ------------------------------------------------------------------------------------------------


def test_the_example_of_the_paper() -> None:
    found = run_cell(Cell(Part.FIGURE_3, "", 0, 0).description)
    # Three sends to named slaves with one receive each; three sends to any of the three receives of the master.
    assert len(found["edges"]) == 3 + 3 * 3
    assert set(found["edges"]) - set(found["infeasible"]) == set(TABLE_1_EDGES)
    # Slaves 0 and 1 get their messages first, so they cannot answer at 8m. Slave 2 cannot answer before 7m.
    assert found["infeasible"] == ["(80,8m)", "(81,8m)", "(82,4m)", "(82,5m)"]
    assert len(found["first"]) == 6  # each of the six messages
    assert found["sequences"] == found["composite"] == 2
    assert found["exhausted"]
    # Two variables at each of 2m, 3m and 7m with one definition each; x of a slave with two definitions on 5 edges.
    assert found["uses_on_feasible"] == 3 * 2 + 5 * 2
    text = table_1(study_of(ONE, {Cell(Part.FIGURE_3, "", 0, 0): found})).text()
    assert "The others are the 8 of Table I" in text


def test_the_costs_of_a_program_with_one_sequence() -> None:
    program = PROGRAMS["reduction"]
    found = costs(program, [("sum", "1", "2", "3", "4", "5", "6")], executions=5, random_runs=3, seed=1)
    # Each of 6 ranks has one send and one receive, and no rank is a literal.
    assert found["required"]["all-edges-s"] == 6 * 5
    assert found["infeasible"]["all-edges-s"] == 30 - 5  # the chain of 6 ranks uses 5 edges
    assert (found["sends"], found["receives"], found["send_lines"], found["receive_lines"]) == (6, 6, 1, 1)
    assert found["exhausted"]
    assert [one["executions"] for one in found["approaches"]["RT"]] == [1, 1, 1, 1]
    # The first execution covers everything feasible.
    for approach in ("CovT", "RTCovT", "RTCovT(T2)"):
        assert [one["executions"] for one in found["approaches"][approach]] == [1]
    assert len(found["t2"]) == 1


def test_the_reference_distinguishes_outputs() -> None:
    program = PROGRAMS["reduction"]
    arguments = ("sum", "1", "2", "3", "4", "5", "6")
    reference = Reference(program)
    assert not reference.differs(Attempt(arguments, False, ("21\n", "", "", "", "", "")))
    assert reference.differs(Attempt(arguments, False, ("22\n", "", "", "", "", "")))
    assert reference.differs(Attempt(arguments, True, ("21\n", "", "", "", "", "")))


def test_drawn_mutants_are_the_same_for_the_same_seed() -> None:
    program = PROGRAMS["gcd"]
    found = drawn(program, 30, seed=1)
    assert found == drawn(program, 30, seed=1)
    assert len({mutant.source for mutant in found}) == 30


@pytest.mark.parametrize("name", NAMES)
def test_random_inputs_are_as_long_as_those_of_t1(name: str) -> None:
    inputs = random_inputs(name, 5, seed=2)
    assert inputs == random_inputs(name, 5, seed=2)
    assert len(inputs) == 5
    if name != "qsort":  # which takes any number of values
        assert {len(arguments) for arguments in inputs} == {len(PROGRAMS[name].inputs[0])}


def test_defects_need_the_test_set_t2_of_their_program() -> None:
    log = ResultLog(None)
    first = list(ONE.first_cells())
    assert list(ONE.cells(log)) == first
    log.add(first[1].description, {"end": "finished", "t2": [["sum", "1"]]})
    assert list(ONE.cells(log))[len(first) :] == [
        Cell(Part.DEFECT, "reduction", 2, 10, 30, number=0, total=1, t2=(("sum", "1"),))
    ]
    assert [run.cell for run in runs_of(ONE, log)] == first[1:]


def test_without_a_limit_the_numbers_of_defects_are_those_of_the_paper() -> None:
    assert sum(Plan().defects(name) for name in NAMES) == 374


# -- tables ---------------------------------------------------------------------------------------------------


def costs_of(executions: dict[str, int], *, complete: bool = True) -> dict[str, Any]:
    return {
        "t2": [],
        "pool": 3,
        "approaches": {
            name: [{"arguments": [], "executions": number, "complete": complete, "uncovered": {}}]
            for name, number in executions.items()
        },
    }


def test_table_4_says_at_least_where_a_limit_was_reached() -> None:
    numbers = {"CovT": 40, "RT": 30, "RTCovT": 4, "RTCovT(T2)": 2}
    plan = Plan(programs=("gcd", "mmult"))
    found = table_4(study_of(plan, {Cell(Part.COSTS, "gcd", 0, 0): costs_of(numbers, complete=False)}))
    assert found.rows[1] == ["gcd", "at least 40", "at least 30", "at least 4", "at least 2", "0 of 3"]
    assert found.rows[2] == ["  (paper)", "700", "126", "70", "40", ""]
    assert found.rows[3] == ["mmult", *["not measured"] * 4, "-"]


def test_the_published_costs_lead_to_the_published_verdicts() -> None:
    # The tests of the published numbers are in test_lab_souza_hypotheses.py.
    study = study_of(Plan(), {})
    for make, verdict in ((table_9, "kept"), (table_10, "rejected")):
        rows = make(study).rows
        assert rows[1][-1] == "not measured"
        assert (rows[2][0], rows[2][-1]) == ("  (paper)", verdict)


def test_table_8_counts_defects_that_nothing_reveals() -> None:
    results = {
        Cell(Part.DEFECT, "gcd", 0, 0, number=number): {
            "defect": 1,
            "text": "",
            "approaches": {name: {"revealed": name in by, "executions": 1} for name in APPROACHES},
        }
        for number, by in enumerate([APPROACHES, ("RT",), (), ("RT", "CovT")])
    }
    row = table_8(study_of(Plan(programs=("gcd",)), results)).rows[1]
    # All four approaches reveal the first defect; CovT reveals 2 of 4, RT 3 of 4.
    assert row == ["gcd", "4", "50.0", "25.0", "25.0", "75.0", "25.0", "1"]


def test_a_study_without_results_says_so_in_every_table() -> None:
    study = study_of(ONE, {})
    assert report(study)
    for name in set(TABLES) - {"2", "7", "irregularities"}:
        assert "not measured" in TABLES[name](study).text()


# -- the command ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_stores_its_runs_and_continues(tmp_path: Path) -> None:
    command = ["souza", "--programs", "reduction", "--mutants", "1", "--executions", "2", "--random-runs", "2"]
    command += ["--pool", "1", "--output", str(tmp_path), "--json"]
    first, again = (CliRunner().invoke(lab, command) for _ in range(2))
    assert first.exit_code == again.exit_code == ExitCode.SUCCESS
    assert json.loads(first.stdout)["runs"] == json.loads(again.stdout)["runs"]
    assert len(json.loads(again.stdout)["runs"]) == 3  # Fig. 3, the program, and one defect
    assert again.stderr == f"drawn: {tmp_path / 'figure2.svg'}\n"  # nothing was measured again
    assert (tmp_path / "figure2.svg").read_text().startswith("<svg")
    study = Study.of_json(json.loads((tmp_path / "souza.json").read_text()))
    assert report(study) in (tmp_path / "souza.txt").read_text()


def test_unknown_programs_are_rejected() -> None:
    result = CliRunner().invoke(lab, ["souza", "--programs", "pi"])
    assert result.exit_code
