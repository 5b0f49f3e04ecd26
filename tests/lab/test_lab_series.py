"""Series and their statistics, checked on collections small enough to count by hand."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("scipy")

import numpy as np
from raddle_lab.collection import Collection, Collector
from raddle_lab.published import AT_ONCE, HARDLY, SUITS
from raddle_lab.series import cumulative, draw, growth
from raddle_lab.verdict import NOTHING, overall, verdict


def collection(*executions: str) -> Collection:
    """Return a collection in which each execution covers the letters of a word.

    A word that starts with a capital letter stands for a failed execution.
    """
    collector = Collector(["letters"])
    for word in executions:
        outcome = "deadlock" if word[:1].isupper() else "passed"
        collector.add(outcome, {"letters": {(letter,) for letter in word.lower()}})
    return collector.collection()


def test_coverage_grows_along_a_series() -> None:
    coverage = collection("ab", "b", "bc", "", "acd").coverage["letters"]
    # New letters per execution: "ab" adds a and b, "b" adds none, "bc" adds c, "" adds none, and "acd" adds d.
    assert cumulative(coverage, np.array([0, 1, 2, 3, 4])).tolist() == [2, 2, 3, 3, 4]
    # New letters per execution: "acd" adds a, c and d, "" adds none, "b" adds b, and "ab" adds none.
    assert cumulative(coverage, np.array([4, 3, 1, 0])).tolist() == [3, 3, 4, 4]
    # This series omits three executions and covers fewer letters.
    assert cumulative(coverage, np.array([1, 2])).tolist() == [1, 2]


def test_growth_reports_total_average_and_smoothness() -> None:
    coverage = collection("ab", "b", "bc", "", "acd").coverage["letters"]
    grown = growth(coverage, [np.array([0, 1, 2, 3, 4]), np.array([1, 2])])
    # Series 1: the total is 4. On average, an execution covers (2 + 1 + 2 + 0 + 3) / 5 = 1.6 of 4, or 40 %. There are
    # 3 distinct values (2, 3, 4) in 5 executions, or 60 %. 95 % of 4 is 3.8, first reached by the 5th execution of 5.
    # Series 2: the total is 2. On average, an execution covers (1 + 2) / 2 = 1.5 of 2, or 75 %. There are 2 distinct
    # values in 2 executions, or 100 %. 95 % of 2 is 1.9, first reached by the 2nd execution of 2.
    assert grown.total == 3
    assert grown.average_percent == pytest.approx(57.5)
    assert grown.smooth_percent == pytest.approx(80)
    assert grown.settled == 1
    # The first tenth of each series is its first execution, which covers 2 of 4 letters in series 1 and 1 of 2 in
    # series 2.
    assert grown.beginning_percent == pytest.approx(50)


def test_growth_without_coverage_has_no_percentages() -> None:
    grown = growth(collection("", "", "").coverage["letters"], [np.array([0, 1, 2])])
    # The cumulative coverage has one distinct value, 0, in three executions.
    assert (grown.total, grown.average_percent, grown.settled, grown.beginning_percent) == (0, None, None, None)
    assert grown.smooth_percent == pytest.approx(100 / 3)


def test_a_series_settles_where_95_percent_are_covered() -> None:
    # Of 20 letters, the first execution covers 18, the second covers one more, the third covers nothing new, and the
    # fourth covers the last. 95 % of 20 is 19, so the series settles after 2 of 4 executions.
    words = ["abcdefghijklmnopqr", "s", "a", "t"]
    assert growth(collection(*words).coverage["letters"], [np.arange(4)]).settled == 0.5


def test_the_error_ratio_is_the_share_of_failed_executions() -> None:
    assert collection("ab", "Ab", "c", "d").error_ratio == 0.25


def test_series_are_drawn_without_repetition_and_by_seed() -> None:
    series = draw(50, length=20, count=30, seed=3)
    assert all(len(drawn) == len(set(drawn.tolist())) == 20 for drawn in series)
    assert {number for drawn in series for number in drawn.tolist()} == set(range(50))
    assert [drawn.tolist() for drawn in draw(50, length=20, count=30, seed=3)] == [drawn.tolist() for drawn in series]
    assert draw(50, length=20, count=1, seed=4)[0].tolist() != series[0].tolist()


def test_growth_agrees_with_a_naive_computation() -> None:
    """Recompute the statistics of random series from their definitions, with sets and loops."""
    chance = random.Random(5)
    for _ in range(300):
        words = ["".join(chance.sample("abcdefghij", chance.randrange(4))) for _ in range(chance.randrange(1, 12))]
        coverage = collection(*words).coverage["letters"]
        order = chance.sample(range(len(words)), chance.randrange(1, len(words) + 1))
        covered_letters: set[str] = set()
        curve = []
        for number in order:
            covered_letters |= set(words[number])
            curve.append(len(covered_letters))
        assert cumulative(coverage, np.array(order)).tolist() == curve
        grown = growth(coverage, [np.array(order)])
        assert grown.total == len(covered_letters)
        assert grown.smooth_percent == pytest.approx(100 * len(set(curve)) / len(order))
        if covered_letters:
            covered = sum(len(words[number]) for number in order) / len(order)
            assert grown.average_percent == pytest.approx(100 * covered / len(covered_letters))
            first = next(place for place, value in enumerate(curve, 1) if value >= 0.95 * len(covered_letters))
            assert grown.settled == pytest.approx(first / len(order))
            # There are at most 11 executions, so the first tenth is the first execution.
            assert grown.beginning_percent == pytest.approx(100 * curve[0] / len(covered_letters))


@pytest.mark.parametrize(
    ("settled", "expected"),
    [(0.1, AT_ONCE), (0.11, SUITS), (0.75, SUITS), (0.76, HARDLY), (None, NOTHING)],
)
def test_the_verdict_follows_from_when_a_series_settles(settled: float | None, expected: str) -> None:
    assert verdict(settled) == expected


def test_the_overall_verdict_is_that_of_the_median_case() -> None:
    assert overall([0.01, 0.02, 0.9]) == AT_ONCE
    assert overall([None, 0.9, 0.02, 0.8]) == HARDLY
    assert overall([None, None]) == NOTHING
