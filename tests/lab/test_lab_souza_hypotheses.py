"""The tests of Tables IX to XII of Souza et al., recomputed from the paper's own Tables IV and VIII."""

from __future__ import annotations

import pytest
from raddle_lab.souza.hypotheses import normality, rank_sum, variance_ratio, welch
from raddle_lab.souza.published import PROGRAMS, TABLE_4, TABLE_7_TOTALS, TABLE_8

COVT = [TABLE_4[name].covt for name in PROGRAMS]
RT = [TABLE_4[name].rt for name in PROGRAMS]
RTCOVT = [TABLE_4[name].rtcovt for name in PROGRAMS]


def test_normality_of_the_costs() -> None:
    assert normality(RTCOVT) == pytest.approx(0.1133, abs=5e-5)
    assert normality(RT) == pytest.approx(0.001043, abs=5e-7)


def test_table_9_compares_the_costs_of_composite_and_reachability_testing() -> None:
    result = rank_sum(RTCOVT, RT, correction=False)
    assert result.statistic == 34
    assert result.p_values == pytest.approx((0.5652, 0.2826, 0.7174), abs=5e-5)
    assert not result.is_rejected  # NH1 is kept


def test_table_10_compares_the_costs_of_composite_and_structural_testing() -> None:
    result = welch(RTCOVT, COVT)
    assert result.degrees_of_freedom == pytest.approx(8.16, abs=5e-3)
    # The paper prints 0.0997 for the last one, which is a misprint: the p-values of the one-sided tests add up to 1.
    assert result.p_values == pytest.approx((0.006025, 0.003012, 0.997), abs=5e-4)
    assert result.p_values[:2] == pytest.approx((0.006025, 0.003012), abs=5e-7)
    assert result.is_rejected  # NH2 is rejected
    assert variance_ratio(RTCOVT, COVT) < 0.05  # so Welch's test is the right one


def test_table_11_compares_the_effectiveness_of_composite_and_structural_testing() -> None:
    rows = TABLE_8.values()
    result = rank_sum([row.rtcovt for row in rows], [row.covt for row in rows], correction=True)
    assert result.statistic == 40.5
    assert result.two_sided == pytest.approx(0.2697, abs=5e-5)
    assert not result.is_rejected  # NH3 is kept


def test_table_12_compares_the_effectiveness_of_composite_and_random_testing() -> None:
    rows = TABLE_8.values()
    result = rank_sum([row.rtcovt for row in rows], [row.random for row in rows], correction=True)
    assert result.statistic == 53.5
    assert result.p_values == pytest.approx((0.01500, 0.9946, 0.00749), abs=2e-5)


def test_the_published_totals_are_consistent() -> None:
    assert sum(TABLE_7_TOTALS.values()) == 374
    for row in TABLE_4.values():
        assert row.covt == 10 * row.rtcovt
