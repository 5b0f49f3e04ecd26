"""Series and their statistics, on collections small enough to count by hand."""

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
    """Each execution covers the letters of a word; a capital first letter says that it failed."""
    collector = Collector(["letters"])
    for word in executions:
        outcome = "deadlock" if word[:1].isupper() else "passed"
        collector.add(outcome, {"letters": {(letter,) for letter in word.lower()}})
    return collector.collection()


def test_coverage_grows_along_a_series() -> None:
    coverage = collection("ab", "b", "bc", "", "acd").coverage["letters"]
    # ab: 2; b: nothing new; bc: c; nothing; acd: d.
    assert cumulative(coverage, np.array([0, 1, 2, 3, 4])).tolist() == [2, 2, 3, 3, 4]
    # acd: 3; nothing; b: 1; then nothing is left but what is there.
    assert cumulative(coverage, np.array([4, 3, 1, 0])).tolist() == [3, 3, 4, 4]
    # A series that leaves executions out covers less.
    assert cumulative(coverage, np.array([1, 2])).tolist() == [1, 2]


def test_the_three_quantities() -> None:
    coverage = collection("ab", "b", "bc", "", "acd").coverage["letters"]
    grown = growth(coverage, [np.array([0, 1, 2, 3, 4]), np.array([1, 2])])
    # Series 1: total 4; one execution covers (2 + 1 + 2 + 0 + 3) / 5 = 1.6 of 4, 40 %; the values 2, 3, 4 are 3 of
    # 5 executions, 60 %; 95 % of 4 is 3.8, first reached by the 5th of 5.
    # Series 2: total 2; (1 + 2) / 2 of 2, 75 %; values 1, 2: 100 %; 1.9 is reached by the 2nd of 2.
    assert grown.total == 3
    assert grown.average_percent == pytest.approx(57.5)
    assert grown.smooth_percent == pytest.approx(80)
    assert grown.settled == 1
    # A tenth of either series is its first execution: 2 of 4 letters, 1 of 2.
    assert grown.beginning_percent == pytest.approx(50)


def test_where_nothing_is_covered() -> None:
    grown = growth(collection("", "", "").coverage["letters"], [np.array([0, 1, 2])])
    # The cumulative coverage takes one value, 0, in three executions.
    assert (grown.total, grown.average_percent, grown.settled, grown.beginning_percent) == (0, None, None, None)
    assert grown.smooth_percent == pytest.approx(100 / 3)


def test_a_series_settles_where_95_percent_are_covered() -> None:
    # 20 letters: the first execution covers 18 of them, the second the 19th, the third nothing, the fourth the last.
    # 95 % of 20 is 19: settled after 2 of 4.
    words = ["abcdefghijklmnopqr", "s", "a", "t"]
    assert growth(collection(*words).coverage["letters"], [np.arange(4)]).settled == 0.5


def test_error_ratio() -> None:
    assert collection("ab", "Ab", "c", "d").error_ratio == 0.25


def test_series_are_drawn_without_repetition_and_by_seed() -> None:
    series = draw(50, length=20, count=30, seed=3)
    assert all(len(one) == len(set(one.tolist())) == 20 for one in series)
    assert {number for one in series for number in one.tolist()} == set(range(50))
    assert [one.tolist() for one in draw(50, length=20, count=30, seed=3)] == [one.tolist() for one in series]
    assert draw(50, length=20, count=1, seed=4)[0].tolist() != series[0].tolist()


def test_growth_agrees_with_counting() -> None:
    """Against the definitions, with sets and loops."""
    chance = random.Random(5)
    for _ in range(300):
        words = ["".join(chance.sample("abcdefghij", chance.randrange(4))) for _ in range(chance.randrange(1, 12))]
        coverage = collection(*words).coverage["letters"]
        order = chance.sample(range(len(words)), chance.randrange(1, len(words) + 1))
        seen: set[str] = set()
        curve = []
        for number in order:
            seen |= set(words[number])
            curve.append(len(seen))
        assert cumulative(coverage, np.array(order)).tolist() == curve
        grown = growth(coverage, [np.array(order)])
        assert grown.total == len(seen)
        assert grown.smooth_percent == pytest.approx(100 * len(set(curve)) / len(order))
        if seen:
            covered = sum(len(words[number]) for number in order) / len(order)
            assert grown.average_percent == pytest.approx(100 * covered / len(seen))
            first = next(place for place, value in enumerate(curve, 1) if value >= 0.95 * len(seen))
            assert grown.settled == pytest.approx(first / len(order))
            assert grown.beginning_percent == pytest.approx(100 * curve[0] / len(seen))  # at most 11 executions


@pytest.mark.parametrize(
    ("settled", "expected"),
    [(0.1, AT_ONCE), (0.11, SUITS), (0.75, SUITS), (0.76, HARDLY), (None, NOTHING)],
)
def test_the_rule_of_the_verdict(settled: float | None, expected: str) -> None:
    assert verdict(settled) == expected


def test_the_median_of_the_cases_decides() -> None:
    assert overall([0.01, 0.02, 0.9]) == AT_ONCE
    assert overall([None, 0.9, 0.02, 0.8]) == HARDLY
    assert overall([None, None]) == NOTHING
