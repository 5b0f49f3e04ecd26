"""The ratios computed by benchmarks/overhead.py, and the results of its programs."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture
def overhead(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("overhead")


def test_ratios_compare_the_fastest_runs(overhead: ModuleType) -> None:
    times = {"lru": {"plain": [2.0, 1.0], "raddle": [9.0, 8.0]}}
    assert overhead.best(times) == {"lru": {"plain": 1.0, "raddle": 8.0}}
    assert overhead.ratios(times) == {"lru": {"raddle": 8.0}}
    assert overhead.table(times).splitlines()[1].split() == ["lru", "raddle", "8.000", "s", "x", "8.0"]


def test_no_ratio_is_computed_without_a_plain_run(overhead: ModuleType) -> None:
    assert overhead.ratios({"lru": {"raddle": [1.0]}}) == {}


def test_each_program_returns_its_expected_value(overhead: ModuleType) -> None:
    for program, expected in overhead.PROGRAMS.values():
        assert program() == expected
