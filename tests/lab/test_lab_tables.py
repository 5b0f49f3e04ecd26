"""The text tables of Křena's experiment: their contents and their width."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("scipy")

from raddle_lab.cases import CASES
from raddle_lab.krena import MEASURED, CaseResult
from raddle_lab.published import TABLE_2
from raddle_lab.series import Growth
from raddle_lab.tables import WIDTH, report

GROWTH = Growth(total=4_908_100.4, average_percent=2.4, smooth_percent=99.6, settled=0.5, beginning_percent=71.5)
NOTHING = Growth(total=0.0, average_percent=None, smooth_percent=0.05, settled=None, beginning_percent=None)


def result(case: str) -> CaseResult:
    return CaseResult(
        case=case,
        title=CASES[case].title,
        mode="noise",
        collected=10_000,
        length=2_000,
        outcomes={"passed": 10_000},
        abstraction=TABLE_2[case],
        growth={**dict.fromkeys(MEASURED, GROWTH), "goodlock": NOTHING},
        curves={},
    )


def test_tables_with_large_numbers_fit_the_width() -> None:
    text = report([result(case) for case in CASES])
    assert max(map(len, text.splitlines())) < WIDTH
    rows = [line.split() for line in text.splitlines()]
    assert ["avio*", *["4,908,100", "2", "100"] * 5] in rows
    assert ["goodlock", *["0", "-", "0"] * 5] in rows
    assert ["sync", *["50"] * 5, "suits", "saturation", "saturates", "at", "once", "differs"] in rows


def test_a_users_program_is_not_compared_with_the_paper() -> None:
    own = replace(result("crawler"), case="shop.py::scenario", title="shop.py::scenario")
    text = report([own])
    assert "paper" not in text
    assert "published" not in text
    assert ["sync", "50", "suits", "saturation"] in [line.split() for line in text.splitlines()]
