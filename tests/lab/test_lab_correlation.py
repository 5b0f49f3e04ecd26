"""The correlation experiment's arithmetic, on test sets written by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy")

from raddle_lab.collection import Collection, Collector
from raddle_lab.correlation import Correlation, Plan, Point, SubjectResult, ahead, correlate, kendall, mean_of, points
from raddle_lab.correlation_table import report
from raddle_lab.inference import interval, sign_flip_p
from raddle_lab.published import TABLE_4


def point(size: int, bugs: float, coverage: float) -> Point:
    return Point(size, bugs, {"map": coverage, "sync": 1.0})


def subject(*some: Point, name: str = "s") -> SubjectResult:
    outcomes = {"passed": 30, "deadlock": 10}
    return SubjectResult(name, mutants=4, bugs=4, outcomes=outcomes, requirements={"map": 10, "sync": 2}, points=some)


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
    assert row == Correlation("sync", None, 0, None, {}, None, None)


def test_larger_sets_correlate_even_where_equal_ones_do_not() -> None:
    # Between the sizes, all four pairs are concordant; within each size, the one pair is discordant.
    one = subject(point(1, 0.2, 0.1), point(1, 0.1, 0.2), point(9, 0.9, 0.8), point(9, 0.8, 0.9))
    row = correlate("map", [one])
    assert row.all_sizes is not None
    assert row.all_sizes.tau == pytest.approx((4 - 2) / 6)
    assert row.equal_size is not None
    assert row.equal_size.tau == pytest.approx(-1)
    assert row.published == 0.43


def test_the_mean_is_over_subjects() -> None:
    up = [subject(point(1, 0.1, 0.1), point(2, 0.2, 0.2), name=name) for name in ("a", "b")]
    down = subject(point(1, 0.2, 0.1), point(2, 0.1, 0.2), name="c")
    row = correlate("map", [*up, down])
    assert row.by_subject == {"a": pytest.approx(1), "b": pytest.approx(1), "c": pytest.approx(-1)}
    assert row.significant == 0  # two points never are
    # All six points, (coverage, bugs): twice (1, 1) and (2, 2), once (1, 2) and (2, 1). Of the 9 pairs that differ in
    # coverage, those of (1, 1) with (2, 2) are concordant, 4, and that of (1, 2) with (2, 1) is discordant, 1; the
    # others are tied in bugs. As many differ in bugs: (4 - 1) / 9.
    assert row.pooled == pytest.approx(1 / 3)
    mean = row.all_sizes
    assert mean is not None
    # Drawn again, the three are all -1 with probability 1 / 27, all 1 with 8 / 27: both are more than one in 40.
    assert (mean.tau, mean.low, mean.high, mean.subjects) == (pytest.approx(1 / 3), -1, 1, 3)
    assert mean.p == 1  # any combination of signs is as far from 0


def test_one_criterion_ahead_of_another() -> None:
    one = Correlation("map", None, 0, None, {"a": 0.5, "b": 0.75, "c": 1.0}, None, None)
    other = Correlation("sync", None, 0, None, {"a": 0.25, "b": 0.5, "d": 1.0}, None, None)
    lead = ahead(one, other)  # of the subjects that both have, a and b
    assert lead is not None
    assert (lead.tau, lead.low, lead.high, lead.subjects) == (0.25, 0.25, 0.25, 2)
    assert ahead(one, correlate("sync", [])) is None


def test_the_interval_of_a_mean() -> None:
    # Means of a hundred coins, 0 or 1, drawn again: 0.5 with a deviation of 0.05, so 95 % within 1.96 * 0.05.
    limits = interval([0.0, 1.0] * 50, seed=1)
    assert limits is not None
    assert limits == (pytest.approx(0.402, abs=0.015), pytest.approx(0.598, abs=0.015))
    assert interval([], seed=1) is None
    assert mean_of([]) is None


def test_the_report_says_out_of_how_much() -> None:
    results = [subject(point(1, 0.1, 0.1), point(2, 0.2, 0.2), name=name) for name in ("a", "b")]
    text = report(results, [correlate("map", results), correlate("sync", results)])
    rows = [line.split() for line in text.splitlines()]
    # Subject, mutants, those that fail, test sets, executions, how they ended.
    assert ["a", "4", "4", "2", "40", "30", "10"] in rows
    assert "8 of 8 mutants fail" in text
    # No two test sets of one subject are of one size.
    assert ["map", "1.00", "1.00", "to", "1.00", "0", "of", "2", "1.00", "-", "-", "-", "0.43"] in rows
    assert ["sync", "-", "-", "-", "-", "-", "-", "-", "-"] in rows


def test_the_published_rows_have_other_means_than_the_last_row_says() -> None:
    # The sums of the rows of Table IV are 6.94 of 20 and 4.93 of 17.
    assert {name: (len(rows), round(sum(rows), 2)) for name, rows in TABLE_4.items()} == {
        "map": (20, 6.94),
        "method-pairs": (17, 4.93),
    }
    assert "map 0.43 and 0.35; method-pairs 0.13 and 0.29" in report([], [])


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
