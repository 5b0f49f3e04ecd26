"""Estimating the total number of requirements from the number of executions that covered each of them."""

from __future__ import annotations

from random import Random

import pytest

from raddle.analysis.richness import chance_of_new, estimate, interval
from raddle.tally import ESTIMATED, UNKNOWN, Total

MANY = 10**9  # so many executions that the factor (m - 1) / m, which the published figures omit, is nearly 1


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # Bias-corrected estimate, lower bound and upper bound from EstimateS, as quoted in the tests of scikit-bio.
        ([1, 1, 4, 2, 5, 2, 4, 1, 2], (9.75, 9.07, 17.45)),
        ([1, 1, 4, 5], (5, 4.08, 17.27)),
        ([2, 2, 4, 5], (4, 4, 4.95)),
    ],
)
def test_the_interval_matches_published_figures(counts, expected):
    assert interval(counts, MANY) == pytest.approx(expected, abs=0.005)


def test_the_estimate_matches_the_barro_colorado_tree_data():
    # The BCI data set of the R package vegan has 225 species in 50 plots. Its first-order jackknife estimate is 225 +
    # 21 · 49/50 = 245.58, and Chao2 without bias correction is 225 + 49/50 · 21² / (2·19) = 236.37. So 21 species are
    # in one plot and 19 in two. With bias correction, Chao2 is 225 + 49/50 · 21·20 / (2·20) = 235.29.
    counts = [1] * 21 + [2] * 19 + [10] * 185
    assert interval(counts, 50)[0] == pytest.approx(235.29)
    assert estimate(counts, 50).number == 235


def test_the_interval_matches_a_calculation_by_hand():
    # m = 4, Q1 = 3, Q2 = 0: 3 + 3/4 · 3·2 / 2 = 5.25.
    # Variance 3/4·3 + 9/16 · 3·25/4 - 9/16 · 81 / (4·5.25) = 2.25 + 10.546875 - 2.169643 = 10.627232;
    # T = 2.25, log(1 + 10.627232/5.0625) = 1.131304, K = exp(1.96 · 1.063628) = 8.042;
    # 3 + 2.25/8.042 = 3.28, 3 + 2.25·8.042 = 21.09.
    assert interval([1, 1, 1], 4) == pytest.approx((5.25, 3.28, 21.09), abs=0.01)
    assert estimate([1, 1, 1], 4) == Total(5, ESTIMATED, 3, 22)


def test_one_execution_gives_no_estimate():
    assert estimate([1, 1, 1], 1) == Total(None, UNKNOWN)
    assert estimate([], 0) == estimate([], 1) == Total(None, UNKNOWN)


def test_without_coverage_the_estimated_total_is_zero():
    assert estimate([], 100) == Total(0, ESTIMATED, 0, 0)
    assert str(estimate([], 100)) == "nothing to cover"


def test_frequent_coverage_gives_a_narrow_interval():
    # Each requirement was covered 50 times, so the estimated chance that one was missed is e^-50.
    assert estimate([50] * 7, 50) == Total(7, ESTIMATED, 7, 8)


def test_requirements_with_a_count_of_zero_are_ignored():
    assert estimate([0, 0, 1, 1, 3], 9) == estimate([1, 1, 3], 9)


def test_counts_beyond_the_executions_are_refused():
    with pytest.raises(ValueError, match="covered by 5 of 4 executions"):
        estimate([1, 5], 4)
    with pytest.raises(ValueError, match="-1 of 4"):
        chance_of_new([-1], 4)
    with pytest.raises(ValueError, match="at least two executions"):
        interval([1], 1)


def test_estimates_lie_within_their_bounds():
    random = Random(12)
    for _ in range(3000):
        executions = random.choice([2, 3, 10, 1000])
        counts = [min(executions, int(random.expovariate(0.4)) + 1) for _ in range(random.randint(1, 60))]
        total = estimate(counts, executions)
        assert total.kind == ESTIMATED
        assert len(counts) <= total.low <= total.number <= total.high
        if counts.count(1) < 2:
            assert total.number == len(counts)
        assert 0 <= chance_of_new(counts, executions) <= 1


def test_the_interval_usually_contains_the_true_total():
    # 100 requirements are equally likely in each of 10 executions, as Chao2 assumes. The interval should contain the
    # total in 95 % of the cases, so 40 of 50 would be far too few.
    random = Random(13)
    contained = 0
    for _ in range(50):
        counts = [sum(random.random() < 0.15 for _ in range(10)) for _ in range(100)]
        total = estimate(counts, 10)
        contained += total.low <= 100 <= total.high
    assert contained > 40


def test_the_chance_of_new_coverage_is_the_number_covered_once_per_execution():
    # In 30 executions, 3 of 5 requirements were covered only once.
    assert chance_of_new([1, 1, 1, 20, 30], 30) == pytest.approx(0.1)
    assert chance_of_new([4, 5], 30) == 0
    # One execution covered five requirements, so five new ones are expected from the next. But a probability is at most
    # 1.
    assert chance_of_new([1] * 5, 1) == 1
    assert chance_of_new([], 0) == 1
    assert chance_of_new([], 10) == 0
