"""The correlation experiment's arithmetic, on test sets written by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy")

from raddle_lab.collection import Collection, Collector
from raddle_lab.correlation import Correlation, Plan, Point, SubjectResult, correlate, kendall, points, sign_flip_p


def point(size: int, bugs: float, coverage: float) -> Point:
    return Point(size, bugs, {"map": coverage, "sync": 1.0})


def subject(*some: Point) -> SubjectResult:
    return SubjectResult("s", mutants=4, bugs=4, requirements={"map": 10, "sync": 2}, points=some)


def test_kendall_by_hand() -> None:
    # Pairs of (coverage, bugs): (1,1) (2,3) (3,2): concordant with each other are 1-2 and 1-3, discordant is 2-3.
    # (2 - 1) / 3.
    found = kendall("map", [point(1, 0.1, 0.1), point(1, 0.3, 0.2), point(1, 0.2, 0.3)])
    assert found is not None
    assert found[0] == pytest.approx(1 / 3)


def test_with_ties() -> None:
    # (1,1) (2,1) (3,2): two pairs concordant, one tied in bugs; tau-b is 2 / sqrt(3 * 2).
    found = kendall("map", [point(1, 0.1, 0.1), point(1, 0.1, 0.2), point(1, 0.2, 0.3)])
    assert found is not None
    assert found[0] == pytest.approx(2 / 6**0.5)


def test_coverage_that_is_always_the_same_says_nothing() -> None:
    same = [point(1, 0.1, 0.1), point(2, 0.2, 0.5)]
    assert kendall("sync", same) is None
    row = correlate("sync", [subject(*same)])
    assert row == Correlation("sync", None, None, 0, 0, None, None, None)


def test_larger_sets_correlate_even_where_equal_ones_do_not() -> None:
    # Between the sizes, all four pairs are concordant; within each size, the one pair is discordant.
    one = subject(point(1, 0.2, 0.1), point(1, 0.1, 0.2), point(9, 0.9, 0.8), point(9, 0.8, 0.9))
    row = correlate("map", [one])
    assert row.tau == pytest.approx((4 - 2) / 6)
    assert row.equal_size == pytest.approx(-1)
    assert row.published == 0.43


def test_the_mean_is_over_subjects() -> None:
    up = subject(point(1, 0.1, 0.1), point(2, 0.2, 0.2))
    down = subject(point(1, 0.2, 0.1), point(2, 0.1, 0.2))
    row = correlate("map", [up, up, down])
    assert (row.tau, row.subjects, row.significant) == (pytest.approx(1 / 3), 3, 0)  # two points are never significant


def test_signs_flipped_by_hand() -> None:
    # Sums of +-1 +-2: 3, -1, 1, -3; two of the four are as far from 0 as 3, and all are as far as 1.
    assert sign_flip_p([1, 2]) == 0.5
    assert sign_flip_p([-1, 2]) == 1
    assert sign_flip_p([]) is None
    assert sign_flip_p([0.5] * 10) == 2 / 1024


def bug(*executions: tuple[str, str]) -> Collection:
    collector = Collector(["letters"])
    for outcome, word in executions:
        collector.add(outcome, {"letters": {(letter,) for letter in word}})
    return collector.collection()


def test_points_of_whole_collections() -> None:
    # With one execution of each mutant there is one test set: it finds the first bug and covers all there is.
    bugs = [bug(("deadlock", "ab")), bug(("passed", "c"))]
    plan = Plan(criteria=["letters"], executions=1, sets=3)
    assert list(points(bugs, plan)) == [Point(1, 0.5, {"letters": 1.0})] * 3


def test_points_are_shares_of_what_was_ever_seen() -> None:
    # A set of one execution covers one letter of two in the first mutant and both of the second's: 3 of 4. It finds
    # the first bug where it covers a.
    bugs = [bug(("deadlock", "a"), ("passed", "b")), bug(("deadlock", "cd"), ("deadlock", "cd"))]
    plan = Plan(criteria=["letters"], executions=4, sets=20)
    found = list(points(bugs, plan))
    assert {one.coverage["letters"] for one in found} == {0.75}
    assert {one.bugs for one in found} == {0.5, 1.0}


def test_without_bugs_there_are_no_points() -> None:
    assert list(points([], Plan())) == []


def test_sizes_stay_small_against_the_executions() -> None:
    assert Plan(executions=200).sizes == (1, 2, 3, 5, 8, 13, 21, 34)
    assert Plan(executions=40).sizes == (1, 2, 3, 5, 8)
    assert Plan(executions=4).sizes == (1,)
