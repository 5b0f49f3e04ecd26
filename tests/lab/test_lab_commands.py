"""`raddle lab`: the commands, their tables and their figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from raddle.cli.lab import lab
from raddle.errors import UsageError

pytestmark = pytest.mark.slow

EXPERIMENT = ["--executions", "8", "--series", "5", "--jobs", "1"]


def run(*args: str) -> str:
    """Run `raddle lab` with these arguments and return its output."""
    result = CliRunner().invoke(lab, args, catch_exceptions=False, standalone_mode=False)
    assert result.return_value == 0
    return result.stdout


@pytest.fixture
def requires_lab_extra() -> None:
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")


@pytest.mark.usefixtures("requires_lab_extra")
def test_krena_prints_and_writes_tables_and_figures(tmp_path: Path) -> None:
    text = run("krena", *EXPERIMENT, "--cases", "crawler,philosophers", "--output", str(tmp_path))
    for title in ("Table 2", "Table 3", "Table 3 as published", "Verdict"):
        assert f"\n{title}" in f"\n{text}"
    rows = [line.split() for line in text.splitlines()]
    assert ["Crawler", "19"] in [row[:2] for row in rows]
    assert ["(paper)", "19", "0.0006", "1,828", "13", "14", "180", "4", "9", "12"] in rows
    # The paper reports a total of 418 tasks, an average of 3 % and a smoothness of 9 % for the crawler. For the
    # philosophers it reports 30 tasks, 10 % and 0 %.
    assert ["avio*", "418", "3", "9", "30", "10", "0"] in rows
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "figure1-crawler-controlled.png",
        "figure1-crawler-controlled.svg",
        "krena.json",
        "krena.txt",
    ]
    assert (tmp_path / "figure1-crawler-controlled.png").read_bytes().startswith(b"\x89PNG")
    assert "concur-pairs" in (tmp_path / "figure1-crawler-controlled.svg").read_text(encoding="utf-8")
    assert (tmp_path / "krena.txt").read_text(encoding="utf-8") == text


@pytest.mark.usefixtures("requires_lab_extra")
def test_krena_gives_the_same_results_for_the_same_seed(tmp_path: Path) -> None:
    args = ("krena", "--executions", "4", "--series", "3", "--jobs", "1", "--cases", "crawler", "--json")
    first, repeated = run(*args, "--output", str(tmp_path / "1")), run(*args, "--output", str(tmp_path / "2"))
    assert first == repeated
    assert json.loads(run(*args, "--seed", "2"))["cases"] != json.loads(first)["cases"]
    pictures = [(tmp_path / folder / "figure1-crawler-controlled.svg").read_bytes() for folder in "12"]
    assert pictures[0] == pictures[1]


@pytest.mark.usefixtures("requires_lab_extra")
def test_krena_gives_the_same_results_with_parallel_jobs() -> None:
    args = ("krena", "--executions", "4", "--series", "3", "--cases", "philosophers,airlines", "--json", "--jobs")
    assert run(*args, "2") == run(*args, "1")


@pytest.mark.usefixtures("requires_lab_extra")
def test_krenas_json_holds_every_table() -> None:
    data = json.loads(run("krena", *EXPERIMENT, "--cases", "airlines", "--json"))
    (case,) = data["cases"]
    assert (case["case"], case["mode"], case["collected"], case["series_length"]) == ("airlines", "controlled", 16, 8)
    assert sum(case["outcomes"].values()) == 16
    assert case["table2"]["threads_real"] == 10 * 7
    assert len(case["table3"]) == 15
    assert case["table3"]["goodlock"] == {
        "total": 0.0,
        "average_percent": None,
        "smooth_percent": 100 / 8,  # coverage has one distinct value, 0
        "settled": None,
        "beginning_percent": None,
        "verdict": "nothing to cover",
    }


@pytest.mark.usefixtures("requires_lab_extra")
@pytest.mark.skipif(sys.platform == "win32", reason="this system cannot fork")
def test_krena_runs_with_noise() -> None:
    args = ("krena", "--executions", "4", "--series", "3", "--cases", "philosophers", "--mode", "noise", "--jobs", "1")
    (case,) = json.loads(run(*args, "--json"))["cases"]
    assert (case["mode"], case["collected"]) == ("noise", 8)
    assert case["table2"]["threads_type"] == 2  # main and Philosopher
    assert case["table3"]["eraser"]["total"] > 0


@pytest.mark.usefixtures("requires_lab_extra")
def test_correlation_prints_and_writes_its_tables(tmp_path: Path) -> None:
    args = ["correlation", "--executions", "8", "--sets", "6", "--jobs", "1", "--subjects", "bank,names"]
    text = run(*args, "--criteria", "map,method-pairs,sync", "--output", str(tmp_path))
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line}
    assert rows["map"][-1] == "0.43"
    assert rows["method-pairs"][-1] == "0.13"
    assert rows["sync"][-1] == "-"
    assert rows["bank"][1] == "4"  # number of mutants
    data = json.loads((tmp_path / "correlation.json").read_text(encoding="utf-8"))
    assert list(data["criteria"]) == ["map", "method-pairs", "sync"]
    assert data["criteria"]["map"]["published"] == 0.43
    assert [subject["subject"] for subject in data["subjects"]] == ["bank", "names"]
    assert [sum(subject["outcomes"].values()) for subject in data["subjects"]] == [
        8 * subject["bugs"] for subject in data["subjects"]
    ]
    assert "τ of map minus τ of method-pairs, mean over the" in text


@pytest.mark.usefixtures("requires_lab_extra")
def test_correlation_measures_every_criterion_by_default() -> None:
    from raddle.criteria import THREADS as NAMES

    data = json.loads(
        run("correlation", "--executions", "4", "--sets", "2", "--jobs", "1", "--subjects", "latch", "--json")
    )
    assert tuple(data["criteria"]) == NAMES


@pytest.mark.usefixtures("requires_lab_extra")
def test_an_interrupted_run_keeps_finished_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from raddle_lab import krena

    run_case = krena.run_case

    def interrupted_at_ftp(name: str, *args: Any, **options: Any) -> Any:
        if name == "ftp":
            raise KeyboardInterrupt
        return run_case(name, *args, **options)

    monkeypatch.setattr(krena, "run_case", interrupted_at_ftp)
    args = ["krena", *EXPERIMENT, "--cases", "philosophers,ftp,airlines", "--mode", "both", "--output", str(tmp_path)]
    result = CliRunner().invoke(lab, [*args, "--json"], standalone_mode=False)
    assert result.return_value == 2
    data = json.loads(result.stdout)
    assert data["interrupted"]
    assert [(case["case"], case["mode"]) for case in data["cases"]] == [("philosophers", "controlled")]
    assert list(data["verdicts"]) == ["controlled"]
    assert "interrupted" in result.stderr
    assert json.loads((tmp_path / "krena.json").read_text(encoding="utf-8"))["cases"] == data["cases"]


@pytest.mark.usefixtures("requires_lab_extra")
@pytest.mark.parametrize(
    ("command", "work"), [("krena", "run_case"), ("correlation", "run_subject"), ("lu", "run_program")]
)
def test_a_run_interrupted_at_once_writes_nothing(
    command: str, work: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    def interrupted(*args: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module(f"raddle_lab.{command}"), work, interrupted)
    result = CliRunner().invoke(lab, [command, "--jobs", "1", "--output", str(tmp_path)], standalone_mode=False)
    assert (result.return_value, result.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("requires_lab_extra")
@pytest.mark.parametrize("command", ["krena", "correlation", "lu"])
def test_an_output_folder_that_cannot_be_created_is_a_usage_error(command: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be created"):
        run(command, "--output", str(tmp_path / "file" / "folder"))


@pytest.mark.usefixtures("requires_lab_extra")
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["krena", "--cases", "crawler,hotel"], "there is no case 'hotel'; choose from philosophers, airlines"),
        (["correlation", "--subjects", "hotel"], "there is no subject 'hotel'; choose from allocator, bank"),
        (["correlation", "--criteria", "mop"], "there is no criterion 'mop'; did you mean map"),
    ],
)
def test_unknown_names_are_usage_errors(args: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(*args)


@pytest.mark.parametrize("command", ["krena", "correlation", "lu"])
def test_a_missing_lab_extra_is_a_usage_error(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, f"raddle_lab.{command}", None)  # makes the import fail
    with pytest.raises(UsageError, match=r"pip install 'raddle\[lab\]'") as error:
        run(command)
    assert error.value.slug == "lab-not-installed"
