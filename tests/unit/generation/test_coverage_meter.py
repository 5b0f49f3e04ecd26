"""Totals of generated tests include the requirements that only executions show."""

from __future__ import annotations

import pytest

from raddle.generation import coverage_meter
from raddle.generation.coverage_meter import CriterionCoverage, with_covered
from raddle.tally import STATIC, UNKNOWN, Total

POSSIBLE = [("a",), ("b",), ("c",)]


@pytest.mark.parametrize(
    ("covered", "total"),
    [
        ("", 3),
        ("ab", 3),
        ("abyz", 5),  # y and z are not in the static model
        ("yz", 5),
    ],
)
def test_a_total_includes_what_is_covered(covered, total):
    assert with_covered(Total(3, STATIC), {(name,) for name in covered}, POSSIBLE).number == total


def test_an_unknown_total_stays_unknown():
    assert with_covered(Total(None, UNKNOWN), {("a",)}, ()) == Total(None, UNKNOWN)


def test_a_very_large_total_is_not_compared_with_each_requirement(monkeypatch):
    monkeypatch.setattr(coverage_meter, "MAX_ENUMERATED", 2)
    assert with_covered(Total(3, STATIC), {("y",)}, POSSIBLE).number == 3
    assert with_covered(Total(3, STATIC), {(name,) for name in "vwxyz"}, POSSIBLE).number == 5


def test_merged_coverage_does_not_exceed_its_total():
    one, other = (
        CriterionCoverage("map", 3, Total(3, STATIC), keys=frozenset((name,) for name in names))
        for names in ("abc", "cyz")
    )
    assert (one + other).covered == 5
    assert (one + other).total.number == 5
