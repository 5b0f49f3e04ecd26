"""The page on the experiments shows the current output of its commands.

Only `make test-all` checks the large results.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from statistics import median
from typing import Any

import pytest

pytest.importorskip("scipy")

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import lab_page  # noqa: E402 -- tools is not a package
import lab_tables  # noqa: E402

PAGE = lab_page.PAGE.read_text(encoding="utf-8")
RESULTS = lab_page.results(PAGE)
BLOCKS = lab_page.blocks(PAGE)
EXACT = [name for name, result in RESULTS.items() if result.reproduces]
reference_python = pytest.mark.skipif(
    sys.version_info[:2] != lab_page.PYTHON, reason="the numbers on the page come from another Python"
)


def differences(name: str, folder: Path) -> list[str]:
    """Run the command for a result and return the tables on the page that differ from the command's output."""
    result = RESULTS[name]
    data = result.run(folder)
    return [
        f"{block.table} of {name}: the page has\n{block.text}\nbut the command gives\n{now}"
        for block in BLOCKS
        if block.result == name and block.text != (now := lab_page.made(block, result, data))
    ]


@reference_python
@pytest.mark.parametrize("name", [name for name in EXACT if RESULTS[name].is_quick])
def test_the_page_shows_the_output_of_a_quick_command(name: str, tmp_path: Path) -> None:
    assert differences(name, tmp_path) == []


@reference_python
@pytest.mark.parametrize("name", [name for name in EXACT if not RESULTS[name].is_quick])
def test_the_page_shows_the_output_of_a_slow_command(name: str, tmp_path: Path) -> None:
    assert differences(name, tmp_path) == []


# -- the structure of the page --------------------------------------------------------------------------------


def test_every_table_on_the_page_has_a_command() -> None:
    assert not re.findall(r"^\|.*", lab_page.without_blocks(PAGE), re.MULTILINE)
    for block in BLOCKS:
        assert block.result in RESULTS, f"no command on the page produces {block.result}"
        assert block.table in lab_tables.TABLES[RESULTS[block.result].experiment]
    assert {block.result for block in BLOCKS} == set(RESULTS)


def test_every_experiment_has_a_small_result() -> None:
    small = {result.experiment for result in RESULTS.values() if result.is_quick}
    assert small | set(lab_page.KEPT) == {result.experiment for result in RESULTS.values()} == set(lab_tables.TABLES)


def test_only_native_runs_and_runs_with_time_limits_are_not_reproducible() -> None:
    assert [name for name, result in RESULTS.items() if not result.reproduces] == ["noise", *lab_page.KEPT]


@pytest.mark.parametrize("name", lab_page.KEPT)
def test_the_page_shows_the_results_that_are_kept(name: str, tmp_path: Path) -> None:
    data = RESULTS[name].kept(tmp_path)
    for block in BLOCKS:
        if block.result == name:
            assert block.text == lab_page.made(block, RESULTS[name], data), f"run `make lab-page RESULTS={name}`"


# -- runs with noise: properties that every run has --------------------------------------------------

CONTEXT = ("avio", "du-pairs", "eraser", "goldilock", "goodlock", "hbpair")  # each also exists with context, as NAME*
WITHOUT_NESTED_LOCKS = ("airlines", "ftp")  # programs in which no thread holds two locks at once
CLASSES_OF = {"philosophers": 2, "airlines": 9}
THREADS_OF = {"philosophers": 7, "airlines": 7}  # number of threads in one execution, including the main thread


def rows_of(name: str, table: str) -> dict[str, list[str]]:
    """Return the rows of a table on the page, keyed by their first cell."""
    (text,) = [block.text for block in BLOCKS if (block.result, block.table) == (name, table)]
    if not text.strip():
        pytest.skip(f"the page has no numbers for {name} yet; run `make lab-page RESULTS={name}`")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().splitlines()]
    return {row[0].replace("\\", ""): row[1:] for row in rows}


@pytest.mark.parametrize("name", ["control", "noise"])
def test_growth_on_the_page_is_consistent(name: str) -> None:
    rows = rows_of(name, "growth")
    cases = rows.pop("metric")
    assert cases == list(lab_tables.CASES.values())
    del rows["---"]
    numbers = {
        metric: [[float(number.replace(",", "")) for number in cell.split(" · ")] for cell in row]
        for metric, row in rows.items()
    }
    for metric in CONTEXT:
        for without, (total, *_) in zip(numbers[metric], numbers[f"{metric}*"], strict=True):
            assert total >= without[0]
    for program in WITHOUT_NESTED_LOCKS:
        place = cases.index(lab_tables.CASES[program])
        assert numbers["goodlock"][place] == numbers["goodlock*"][place] == [0]
    for row in numbers.values():
        for cell in row:
            assert all(0 <= share <= 100 for share in cell[1:])


def verdict_on(settled: float | None) -> str:
    """Return the verdict according to the rule on the page."""
    if settled is None:
        return "nothing to cover"
    return "saturates at once" if settled <= 0.1 else "suits saturation" if settled <= 0.75 else "hardly saturates"


@pytest.mark.parametrize("name", ["control", "noise"])
def test_verdicts_on_the_page_follow_from_its_numbers(name: str) -> None:
    rows = rows_of(name, "verdict")
    del rows["metric"], rows["---"]
    for *settled, verdict, _ in rows.values():
        middle = median(float(percent) for percent in settled if percent != "-")
        if middle not in (10, 75):  # at these limits, the verdict depends on rounding
            assert verdict.strip("*") == verdict_on(middle / 100)


def test_runs_with_noise_have_consistent_tables(tmp_path: Path) -> None:
    assert all(block.text.strip() for block in BLOCKS), "the page lacks tables; run `make lab-page` to write them"
    arguments = ("krena", "--mode", "noise", "--cases", "philosophers,airlines", "--executions", "10", "--series", "5")
    check_noise(lab_page.Result("small-noise", "krena", arguments).run(tmp_path))


def check_noise(data: Any) -> None:
    for case in data["cases"]:
        table = case["table3"]
        assert case["table2"]["classes"] == CLASSES_OF[case["case"]]
        assert case["table2"]["threads_real"] == 10 * THREADS_OF[case["case"]]
        for metric in CONTEXT:
            assert table[f"{metric}*"]["total"] >= table[metric]["total"]
        if case["case"] in WITHOUT_NESTED_LOCKS:
            assert table["goodlock"]["total"] == 0
        for metric_row in table.values():
            # A series has at least one distinct value and at most one per execution.
            assert 100 / case["series_length"] <= metric_row["smooth_percent"] <= 100
            assert metric_row["verdict"] == verdict_on(metric_row["settled"])


# -- the tool itself ----------------------------------------------------------------------------------

SMALL_PAGE = """\
    raddle lab sctbench --programs stack --output one  # a minute
    raddle lab krena --mode noise --output other

<!-- table: schedulers of one -->
old
<!-- end of table -->
between
<!-- table: growth of other -->
kept
<!-- end of table -->
"""


def test_only_the_tables_of_a_result_are_replaced() -> None:
    row = {"program": "stack", "scheduler": "pos", "seeds": 3, "found": 3, "median": 2, "executions": [1, 2, 9]}
    some_found = {**row, "scheduler": "pct", "found": 1, "median": None, "executions": [None, 5, None]}
    page = lab_page.filled(SMALL_PAGE, {"one": {"schedulers": ["pos", "pct"], "rows": [row, some_found]}})
    # The cell shows the median and the maximum over the three seeds. If the search found the bug with only some of the
    # seeds, the cell shows their number.
    assert "| stack | 2 (9) | - [1 of 3] |" in page
    assert "| median at most 10 | 1 | 0 |" in page
    assert "old" not in page
    assert "between" in page
    assert "\nkept\n" in page
    assert lab_page.filled(page, {}) == page


def test_agreement_names_metrics_that_differ_from_the_paper() -> None:
    found = {
        "avio*": {"here": "suits saturation", "published": "suits saturation"},
        "sync": {"here": "suits saturation", "published": "saturates at once"},
    }
    assert lab_tables.agreement({"verdicts": {"controlled": found}}) == (
        "For 1 of 2 metrics, the verdict is the same as in the paper. "
        "The exceptions: `sync` (suits saturation; paper: saturates at once)."
    )


def test_stars_are_escaped_except_in_bold_text() -> None:
    assert lab_tables.table([["metric", "total"], ["avio*", "**6**"]]).splitlines()[2] == "| avio\\* | **6** |"
