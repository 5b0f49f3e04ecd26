"""`raddle lab autocontest`: the published numbers, the example of the paper, the generator alone, and the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("scipy")

from raddle_lab.autocontest import experiment, fault_tables, figure_one_tables, pruning_tables
from raddle_lab.autocontest.cell import Approach, Cell, Part, Pruning
from raddle_lab.autocontest.curves import POINTS, mean_curves, overtaking_seconds
from raddle_lab.autocontest.experiment import Plan, Run
from raddle_lab.autocontest.exploring_search import ExploringSearch
from raddle_lab.autocontest.figures import draw_figures
from raddle_lab.autocontest.generating_search import GeneratingSearch
from raddle_lab.autocontest.published import COVERAGE_OF_D2, GAIN_OF_D3, HOUR_MS, TABLE_1, TABLE_2, TESTS
from raddle_lab.autocontest.report import SECTIONS, report
from raddle_lab.autocontest.run_cell import run as run_cell
from raddle_lab.autocontest.study import Study
from raddle_lab.autocontest.subjects import SUBJECTS
from raddle_lab.classes.as_map import AsMap
from raddle_lab.classes.figure_one import FigureOne
from raddle_lab.result_log import ResultLog

from raddle.cli.lab import lab
from raddle.exit_code import ExitCode
from raddle.generation.generation_options import GenerationOptions

NEVER = 3600.0  # a time limit that no test reaches


# -- the published numbers ------------------------------------------------------------------------------------


def test_the_published_means_follow_from_the_tables() -> None:
    # Section 5.1: the first fault after 38 s on average.
    assert round(fmean(row.ours.first_fault_ms or 0 for row in TABLE_1.values()) / 1000) == 38
    # Section 5.2: the four faults that ConTeGe* finds take 14.5 minutes on average.
    found = [row.contege.first_fault_ms for row in TABLE_1.values() if row.contege.first_fault_ms is not None]
    assert (len(found), round(fmean(found) / 60_000, 1)) == (4, 14.5)
    # Section 5.3: the first iteration takes 3 s on average, and pruning makes it 1530 times as fast.
    times = [row.pruned.time_ms or 0 for row in TABLE_2.values()]
    assert round(fmean(times) / 1000) == 3
    assert round(fmean(HOUR_MS / time for time in times), -1) == 1530
    # Pruning loses a trace for the third class and a shorter sequence for the sixth.
    worse = [name for name, row in TABLE_2.items() if row.pruned[1:] != row.unpruned[1:]]
    assert worse == ["A3", "A6"]


def test_the_six_classes_are_those_of_the_paper() -> None:
    names = [subject.published_name for subject in SUBJECTS.values()]
    assert names == ["IntRange", "AbstractMultimap.AsMap", "Vector", "NumberAxis", "Logger", "Vector"]
    assert list(SUBJECTS) == list(TABLE_1) == list(TABLE_2)
    assert len({subject.target for subject in SUBJECTS.values()}) == 6


# -- the example of the paper ---------------------------------------------------------------------------------


def test_the_given_sequences_do_what_the_paper_says() -> None:
    found = run_cell(Cell(Part.GIVEN, "F1", NEVER).description)
    assert found["coverage_of_d2"] == sorted(COVERAGE_OF_D2)
    assert tuple(found["gain_of_d3"]) == GAIN_OF_D3
    assert tuple(found["tests"]) == TESTS
    assert not found["order_matters"]
    # m7 and m2 hold the same lock around all three accesses.
    assert "a8 a2 a9" in found["pruned"]
    assert "a8 a2 a9" not in found["triggered"]
    # m3 holds the lock if z is 0, as in d2.
    assert found["pruned_from"]["a4 a1 a5"] == ["d2 || d1: m3 a3 l1 m4 a4 a5 m4 l2 m3 || m1 a1 m1"]
    assert {"a4 a1 a5", "a7 a3 a7"} <= set(found["triggered"])
    # After m7 and m5, z is 1, so m3 takes no lock. After m5 alone, z is 0.
    first, second = found["candidates_of_t5"]
    assert (first["candidate"], first["after"], first["triggered"]) == (1, ["m7", "m5"], ["a4 a1 a5"])
    assert (second["candidate"], second["after"], second["triggered"]) == (2, ["m5"], [])
    # m3 without the lock loses the value of m1 or of another m3; m3 reads z while m5 counts.
    assert {tuple(calls) for calls in found["failing"]} == {("m1", "m3"), ("m3", "m3"), ("m3", "m5")}


def exploring(cls: type, approach: Approach, *, max_tests: int) -> ExploringSearch:
    method = str(approach)
    search = ExploringSearch(
        cls, GenerationOptions(method=method, seconds=NEVER, max_tests=max_tests), approach=approach
    )
    search.run()
    return search


def test_the_generator_alone_finds_both_bugs_of_the_example() -> None:
    search = exploring(FigureOne, Approach.AUTOCONTEST, max_tests=12)
    pairs = {fault.calls for fault in search.faults}
    assert {("m3", "m3"), ("m3", "m5")} <= pairs
    assert all(fault.symptom == "wrong result" for fault in search.faults)
    assert {fault.explored for fault in search.faults if fault.calls[0] == "m3"} == {0}  # in the first generated test


def test_each_requirement_is_recorded_once_with_its_time() -> None:
    search = exploring(FigureOne, Approach.AUTOCONTEST, max_tests=12)
    keys = [one.key for one in search.triggered]
    assert len(keys) == len(set(keys)) == len(search.requirements.covered) > 0
    times = [one.seconds for one in search.triggered]
    assert times == sorted(times)


def test_the_explorer_explores_the_tests_of_contege() -> None:
    search = exploring(AsMap, Approach.CONTEGE_STAR, max_tests=10)
    assert search.counts.tests == 10
    assert search.requirements.predicted
    assert search.requirements.executions > 0
    progress = search.progress
    # Each test has two suffixes of two calls after a constructor call; each distinct sequence counts once.
    assert progress.calls_of_tests >= 5 * progress.assembled
    assert 0 < progress.calls_of_sequences <= 2 * progress.calls_of_tests


# -- the generator alone --------------------------------------------------------------------------------------

# m1, m2, m6, m7, two traces of m3 (with the lock if z is 0), and two of m5 (one round if y is 0, else two or more).
TRACES_OF_FIGURE_1 = 8


@pytest.mark.parametrize("pruning", [one for one in Pruning if one is not Pruning.ONLY_D1])
def test_one_iteration_covers_every_call_trace_of_the_example(pruning: Pruning) -> None:
    options = GenerationOptions(method="autocontest", seconds=NEVER)
    search = GeneratingSearch(FigureOne, options, pruning=pruning, first_only=True)
    search.run()
    (iteration,) = search.generated.iterations
    assert len(iteration.result.gained) == TRACES_OF_FIGURE_1
    assert len(iteration.result.calls) == TRACES_OF_FIGURE_1  # no shorter sequence has so many traces
    assert iteration.is_finished


def test_rules_that_are_switched_off() -> None:
    off = {one: [name for name, is_used in asdict(one.rules).items() if not is_used] for one in Pruning}
    assert off == {
        Pruning.ALL: [], Pruning.NO_D2: ["d2"], Pruning.NO_D3: ["d3"], Pruning.NO_B1: ["b1"], Pruning.NO_B2: ["b2"],
        Pruning.ONLY_D1: ["d2", "d3", "b1", "b2"],
    }  # fmt: skip


# -- the tables -----------------------------------------------------------------------------------------------


def fault(seconds: float, calls: tuple[str, ...], *, explored: int = 0, matching: bool = True) -> dict[str, Any]:
    return {
        "seconds": seconds, "explored": explored, "executions": 9, "symptom": "TypeError", "matches": matching,
        "calls": list(calls),
    }  # fmt: skip


def trial(
    subject: str,
    approach: Approach,
    seed: int,
    *faults: dict[str, Any],
    triggered: tuple[tuple[float, str], ...] = (),
    generation_seconds: float | None = None,
) -> Run:
    cell = Cell(Part.FAULTS, subject, 60.0, approach, seed=seed)
    result = {
        "end": "finished", "seconds": 60.0, "generation_seconds": generation_seconds, "explored": 7, "assembled": 10,
        "confirmations": 50, "executions": 500, "restarts": 0, "calls_of_sequences": 120, "calls_of_tests": 400,
        "predicted": 30, "pruned": 5, "tested": 25, "sharing_instructions": 10,
        "triggered": [list(one) for one in triggered], "faults": list(faults),
    }  # fmt: skip
    return Run(cell, result)


def first(
    subject: str, pruning: Pruning, seconds: float, *, gained: int, length: int, finished: bool = True,
    part: Part = Part.FIRST,
) -> Run:  # fmt: skip
    one = {
        "seconds": seconds, "at": seconds, "gained": gained, "length": length, "level": 3, "nodes": 99,
        "finished": finished, "ending": "",
    }  # fmt: skip
    result = {
        "end": "finished", "saturated": part is Part.SATURATION, "first": one,
        "last_returned": {**one, "at": 4.5, "level": 5}, "iterations": 3, "returned": 2, "limited": 0, "traces": 31,
    }  # fmt: skip
    return Run(Cell(part, subject, 60.0, pruning=pruning), result)


A1_RUNS = (
    trial("A1", Approach.AUTOCONTEST, 1, fault(1.0, ("to_string", "to_string"), matching=False),
          fault(2.0, ("__hash__", "__hash__")), triggered=((10.0, "a"), (20.0, "b"), (30.0, "c")),
          generation_seconds=15.0),
    trial("A1", Approach.CONTEGE_STAR, 0, fault(50.0, ("__hash__", "__hash__"), explored=40),
          triggered=((12.0, "d"),)),
    trial("A1", Approach.CONTEGE_STAR, 1, fault(40.0, ("__hash__", "__hash__"), explored=30),
          triggered=((30.0, "a"),)),
    trial("A1", Approach.CONTEGE, 0),
    first("A1", Pruning.ALL, 0.5, gained=23, length=40, part=Part.SATURATION),
    first("A1", Pruning.ALL, 0.5, gained=23, length=40),
    first("A1", Pruning.NO_B2, 2.0, gained=23, length=40),
    first("A1", Pruning.ONLY_D1, 60.0, gained=24, length=41, finished=False),
)  # fmt: skip
A2_RUNS = (
    trial("A2", Approach.AUTOCONTEST, 1, triggered=((6.0, "e"),), generation_seconds=3.0),
    trial("A2", Approach.CONTEGE_STAR, 0, triggered=((60.0, "e"),)),
)


def study_of(*runs: Run, subjects: tuple[str, ...] = ("A1", "A2")) -> Study:
    return Study(Plan(subjects=subjects, seeds=2), runs, {}, {"A1": 63, "A2": 37}, jobs=1)


def test_table_1_shows_the_best_run_beside_the_published_row() -> None:
    header, ours, paper, other, _ = fault_tables.faults(study_of(*A1_RUNS, *A2_RUNS)).rows
    assert (header[0], header[5:10]) == ("id", ["A: fault, ms", "tests", "size", "covered", "seed"])
    assert ours[:5] == ["A1", "Apache Commons Lang 2.4", "IntRange", "63", "LANG-481"]
    assert ours[5:] == ["2,000", "7", "120", "3", "1", "40,000", "7", "120", "1"]
    assert paper[5:] == ["22,438", "7", "2,157", "19", "1", "66,357", "110", "1,742", "91"]
    assert other[5] == other[10] == "*60,000"  # no fault within the limit


def test_the_details_name_the_calls_and_every_failure() -> None:
    _, ours, random = fault_tables.calls(study_of(*A1_RUNS)).rows
    # Another failure came a second earlier. ConTeGe*'s best run finds the fault after 30 tests.
    assert ours[:5] == ["A1", "AutoConTest", "__hash__ || __hash__", "0", "1,000"]
    assert random[:5] == ["A1", "ConTeGe*", "__hash__ || __hash__", "30", "40,000"]


def test_observations_on_table_1() -> None:
    text = fault_tables.observations(study_of(*A1_RUNS, *A2_RUNS)).text().replace("\n", " ")
    assert "AutoConTest finds the fault of 1 of 2 classes, after 2.0 s on average" in text
    assert "The first generated test shows 1 of 2 faults. Paper: 6 of 6." in text
    assert "ConTeGe* finds the fault of 1 of 2 classes in the best of its runs, after 40.0 s on average" in text
    assert "ConTeGe on native threads finds the fault of 0 of 1 classes." in text
    assert "takes 15 % of the time on average. Paper: 17 %." in text  # the mean of 15 and 3 of 60 seconds
    assert "40 % of 50" in text  # 10 of 25 in both runs


def test_coverage_is_relative_to_what_either_approach_triggers() -> None:
    curves = mean_curves(study_of(*A1_RUNS, *A2_RUNS))
    ours, random = curves[Approach.AUTOCONTEST], curves[Approach.CONTEGE_STAR]
    # A1: a, b and c make 100 %; ConTeGe*'s best run triggers a. A2: e makes 100 %.
    assert (ours[0], ours[-1]) == (0, 100)
    assert random[-1] == pytest.approx((100 / 3 + 100) / 2)
    at_ten_seconds = POINTS * 10 // 60
    assert ours[at_ten_seconds] == pytest.approx((100 / 3 + 100) / 2)
    assert overtaking_seconds(curves, 60.0) == 10.0


def test_coverage_without_results() -> None:
    assert mean_curves(study_of(A1_RUNS[0])) == {}
    assert "does not reach" in fault_tables.coverage(study_of(A1_RUNS[0])).text()


def test_the_figure_is_the_same_for_the_same_results(tmp_path: Path) -> None:
    contents = set()
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (path,) = draw_figures(study_of(*A1_RUNS), tmp_path / name)
        assert path.name == "autocontest-figure10.svg"
        contents.add(path.read_bytes())
    assert len(contents) == 1
    assert draw_figures(study_of(A1_RUNS[0]), tmp_path) == []


def test_table_2_marks_limits() -> None:
    _, ours, paper, *_ = pruning_tables.pruning(study_of(*A1_RUNS)).rows
    assert ours == ["A1", "4,500", "31", "500", "23", "40", "*60,000", "24", "41"]
    assert paper == ["(paper)", "8,151", "30", "1,598", "25", "43", "*3,600,000", "25", "43"]


def test_single_rules_are_compared_with_all_rules() -> None:
    _, *rows = pruning_tables.rules(study_of(*A1_RUNS)).rows
    assert [(row[1], row[2], row[-1]) for row in rows] == [
        ("all", "500", "1.0"), ("no B2", "2,000", "4.0"), ("only D1", "*60,000", ">=120.0"),
    ]  # fmt: skip


def test_observations_on_table_2() -> None:
    text = pruning_tables.observations(study_of(*A1_RUNS)).text().replace("\n", " ")
    assert "With D1 only, 0 of 1 first iterations finish in 60 s (paper: 0 of 6 in an hour)." in text
    # The text of the paper rounds the mean of the ratios to 1530.
    assert "they take at least 120 times as long on average. Paper: 1,531 times." in text
    assert "Pruning loses traces for 1 of 1 classes (23 for 24)" in text
    assert "1 of 1 generators find no more traces" in text


def test_bugs_of_the_example_are_found_by_their_calls() -> None:
    run = trial("F1", Approach.AUTOCONTEST, 1, fault(1.5, ("m3", "m5"), explored=2))
    _, first_bug, second_bug = figure_one_tables.generated(study_of(run)).rows
    assert first_bug[1:] == ["not found", "-", "-"]
    assert second_bug[1:] == ["m3 || m5", "1,500", "2"]


def test_every_table_can_be_made_without_results() -> None:
    study = study_of()
    for sections in SECTIONS.values():
        for make in sections.values():
            assert make(study).text()
    assert "none" in report(study)


def test_a_process_that_died_is_reported() -> None:
    dead = Run(Cell(Part.FAULTS, "A1", 60.0), {"end": "died", "error": "MemoryError"})
    study = study_of(dead)
    assert "A1, faults, autocontest, all, seed 1: died MemoryError" in report(study)
    assert study.best("A1", Approach.AUTOCONTEST) is None


def test_a_stored_study_is_the_same() -> None:
    study = study_of(*A1_RUNS, *A2_RUNS)
    assert Study.of_json(json.loads(json.dumps(study.as_json()))) == study


# -- the command ----------------------------------------------------------------------------------------------

ALONE = ("autocontest", "--classes", "A1", "--seeds", "2")


def fill(log: ResultLog, plan: Plan) -> None:
    results = {(run.cell.part, run.cell.approach, run.cell.pruning): run.result for run in A1_RUNS}
    for cell in plan.cells():
        key = cell.part, cell.approach, cell.pruning
        log.add(cell.description, results.get(key, {"end": "died", "error": "not in this test"}))


def test_known_results_are_reported_and_not_repeated(tmp_path: Path) -> None:
    fill(ResultLog(tmp_path / "autocontest-runs.jsonl"), Plan(subjects=("A1",), seeds=2))
    result = CliRunner().invoke(lab, [*ALONE, "--output", str(tmp_path)], standalone_mode=False)
    assert result.return_value == ExitCode.SUCCESS
    for title in ("Fig. 1, given", "Fig. 1, generated", "Table 1", "Fig. 10", "Table 2", "Runs whose process ended"):
        assert f"\n{title}" in f"\n{result.stdout}", title
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "autocontest-figure10.svg", "autocontest-runs.jsonl", "autocontest.json", "autocontest.txt",
    ]  # fmt: skip
    stored = Study.of_json(json.loads((tmp_path / "autocontest.json").read_text(encoding="utf-8")))
    # The example twice; AutoConTest once and the others twice; saturation, and one iteration for each set of rules.
    assert len(stored.runs) == 2 + 1 + 2 * 2 + 1 + len(Pruning)


class Interrupted:
    """Ends after its first cell, like an experiment during which the user presses Ctrl-C."""

    def __init__(self, module: str, *, jobs: int) -> None:
        pass

    def results(self, tasks: list[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
        yield tasks[0], A1_RUNS[0].result
        raise KeyboardInterrupt


def test_an_interrupted_run_reports_what_is_complete(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(experiment, "CellProcesses", Interrupted)
    arguments = [*ALONE, "--parts", "2", "--output", str(tmp_path)]
    result = CliRunner().invoke(lab, arguments, standalone_mode=False)
    assert result.return_value == ExitCode.INTERRUPTED
    assert "2,000" in result.stdout
    assert len((tmp_path / "autocontest-runs.jsonl").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.slow
def test_cells_run_in_their_own_processes(tmp_path: Path) -> None:
    # Nothing here depends on how much a run does in its time.
    arguments = ["--classes", "A2", "--parts", "3", "--generator-seconds", "0.5", "--json"]
    result = CliRunner().invoke(lab, ["autocontest", *arguments], standalone_mode=False)
    data = json.loads(result.stdout)
    assert [run["cell"]["pruning"] for run in data["runs"]] == ["all", *map(str, Pruning)]
    assert {run["result"]["end"] for run in data["runs"]} == {"finished"}
