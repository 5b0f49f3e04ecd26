"""The arithmetic of the correlation experiment, checked on small test sets."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy")

from raddle_lab.collection import Collection, Collector
from raddle_lab.correlation import (
    Correlation,
    Plan,
    Point,
    SubjectResult,
    correlate,
    kendall,
    mean_lead,
    mean_of,
    points,
)
from raddle_lab.correlation_table import report
from raddle_lab.inference import interval, sign_flip_p
from raddle_lab.published import TABLE_4


def point(size: int, bugs: float, coverage: float) -> Point:
    return Point(size, bugs, {"map": coverage, "sync": 1.0})


def subject(*sets: Point, name: str = "s") -> SubjectResult:
    outcomes = {"passed": 30, "deadlock": 10}
    return SubjectResult(name, mutants=4, bugs=4, outcomes=outcomes, requirements={"map": 10, "sync": 2}, points=sets)


def test_kendall_counts_concordant_and_discordant_pairs() -> None:
    # The points (coverage, bugs) are (1, 1), (2, 3) and (3, 2). The pairs 1-2 and 1-3 are concordant and 2-3 is
    # discordant, so tau is (2 - 1) / 3.
    found = kendall("map", [point(1, 0.1, 0.1), point(1, 0.3, 0.2), point(1, 0.2, 0.3)])
    assert found is not None
    assert found[0] == pytest.approx(1 / 3)


def test_kendall_corrects_for_ties() -> None:
    # Of the points (1, 1), (2, 1) and (3, 2), two pairs are concordant and one is tied in bugs, so tau-b is
    # 2 / sqrt(3 * 2).
    found = kendall("map", [point(1, 0.1, 0.1), point(1, 0.1, 0.2), point(1, 0.2, 0.3)])
    assert found is not None
    assert found[0] == pytest.approx(2 / 6**0.5)


def test_constant_coverage_has_no_correlation() -> None:
    same = [point(1, 0.1, 0.1), point(2, 0.2, 0.5)]
    assert kendall("sync", same) is None
    row = correlate("sync", [subject(*same)])
    assert row == Correlation("sync", None, 0, None, {}, None, None)


def test_subjects_without_requirements_of_a_criterion_do_not_count() -> None:
    # As for goodlock: only one subject nests locks, and all its sets cover everything. If the other subject counted as
    # 0 % covered, the pooled tau would only say that its mutants are harder to find.
    nested = subject(Point(1, 0.8, {"goodlock": 1.0}), Point(2, 0.9, {"goodlock": 1.0}), name="bank")
    plain = subject(Point(1, 0.1, {}), Point(2, 0.2, {}), name="latch")
    assert correlate("goodlock", [nested, plain]) == Correlation("goodlock", None, 0, None, {}, None, None)
    # The sets of `plain` do not change the values of another subject either.
    varied = subject(Point(1, 0.1, {"goodlock": 0.5}), Point(2, 0.2, {"goodlock": 1.0}), name="broker")
    assert correlate("goodlock", [varied, plain]).pooled == pytest.approx(1)


def test_sets_of_different_sizes_can_correlate_while_equal_sizes_do_not() -> None:
    # All four pairs of sets of different sizes are concordant. Both pairs of sets of equal size are discordant.
    first = subject(point(1, 0.2, 0.1), point(1, 0.1, 0.2), point(9, 0.9, 0.8), point(9, 0.8, 0.9))
    row = correlate("map", [first])
    assert row.all_sizes is not None
    assert row.all_sizes.tau == pytest.approx((4 - 2) / 6)
    assert row.equal_size is not None
    assert row.equal_size.tau == pytest.approx(-1)
    assert row.published == 0.43


def test_the_mean_is_taken_over_subjects() -> None:
    up = [subject(point(1, 0.1, 0.1), point(2, 0.2, 0.2), name=name) for name in ("a", "b")]
    down = subject(point(1, 0.2, 0.1), point(2, 0.1, 0.2), name="c")
    row = correlate("map", [*up, down])
    assert row.by_subject == {"a": pytest.approx(1), "b": pytest.approx(1), "c": pytest.approx(-1)}
    assert row.significant == 0  # a correlation between two points is never significant
    # The six points (coverage, bugs) are (1, 1) and (2, 2), twice each, and (1, 2) and (2, 1), once each. Of the 9
    # pairs that differ in coverage, the 4 pairs of (1, 1) with (2, 2) are concordant, and the pair of (1, 2) with
    # (2, 1) is discordant. The others are tied in bugs. Because 9 pairs differ in bugs too, tau-b is (4 - 1) / 9.
    assert row.pooled == pytest.approx(1 / 3)
    mean = row.all_sizes
    assert mean is not None
    # A resample of the three values is all -1 with probability 1 / 27, and all 1 with probability 8 / 27. Both exceed
    # 2.5 %, half of the 5 % outside the interval.
    assert (mean.tau, mean.low, mean.high, mean.subjects) == (pytest.approx(1 / 3), -1, 1, 3)
    assert mean.p == 1  # every combination of signs gives a mean at least as far from 0 as the observed mean


def test_ahead_compares_criteria_on_common_subjects() -> None:
    first = Correlation("map", None, 0, None, {"a": 0.5, "b": 0.75, "c": 1.0}, None, None)
    other = Correlation("sync", None, 0, None, {"a": 0.25, "b": 0.5, "d": 1.0}, None, None)
    lead = mean_lead(first, other)  # both have the subjects `a` and `b`
    assert lead is not None
    assert (lead.tau, lead.low, lead.high, lead.subjects) == (0.25, 0.25, 0.25, 2)
    assert mean_lead(first, correlate("sync", [])) is None


def test_the_confidence_interval_contains_95_percent_of_resampled_means() -> None:
    # Resampled means of a hundred coin flips have a mean of 0.5 and a standard deviation of 0.05, so 95 % of them lie
    # within 1.96 * 0.05 of 0.5.
    limits = interval([0.0, 1.0] * 50, seed=1)
    assert limits is not None
    assert limits == (pytest.approx(0.402, abs=0.015), pytest.approx(0.598, abs=0.015))
    assert interval([], seed=1) is None
    assert mean_of([]) is None


def test_the_report_states_the_totals() -> None:
    results = [subject(point(1, 0.1, 0.1), point(2, 0.2, 0.2), name=name) for name in ("a", "b")]
    text = report(results, [correlate("map", results), correlate("sync", results)])
    rows = [line.split() for line in text.splitlines()]
    # The columns: subject, mutants, failing mutants, test sets, executions, executions per outcome.
    assert ["a", "4", "4", "2", "40", "30", "10"] in rows
    assert "8 of 8 mutants fail" in text
    # No two test sets of a subject have the same size.
    assert ["map", "1.00", "1.00", "to", "1.00", "0", "of", "2", "1.00", "-", "-", "-", "0.43"] in rows
    assert ["sync", "-", "-", "-", "-", "-", "-", "-", "-"] in rows


def test_the_published_last_row_is_not_the_mean_of_its_rows() -> None:
    # In Table IV, the values for `map` sum to 6.94 over 20 subjects, and those for `method-pairs` to 4.93 over 17.
    assert {name: (len(rows), round(sum(rows), 2)) for name, rows in TABLE_4.items()} == {
        "map": (20, 6.94),
        "method-pairs": (17, 4.93),
    }
    assert "map 0.43 and 0.35; method-pairs 0.13 and 0.29" in report([], [])


def test_the_sign_flip_test_counts_sums_at_least_as_extreme() -> None:
    # The sums of +-1 +-2 are 3, -1, 1 and -3. Two of the four are at least as far from 0 as 3 is, and all four are at
    # least as far as 1 is.
    assert sign_flip_p([1, 2]) == 0.5
    assert sign_flip_p([-1, 2]) == 1
    assert sign_flip_p([]) is None
    assert sign_flip_p([0.5] * 10) == 2 / 1024


def bug(*executions: tuple[str, str]) -> Collection:
    collector = Collector(["letters"])
    for outcome, word in executions:
        collector.add(outcome, {"letters": {(letter,) for letter in word}})
    return collector.collection()


def test_one_execution_per_mutant_gives_one_test_set() -> None:
    # With one execution per mutant there is only one test set. It finds the first bug and covers everything.
    bugs = [bug(("deadlock", "ab")), bug(("passed", "c"))]
    plan = Plan(criteria=["letters"], executions=1, sets=3)
    assert list(points(bugs, plan)) == [Point(1, 0.5, {"letters": 1.0})] * 3


def test_points_are_shares_of_everything_ever_covered() -> None:
    # A set with one execution per mutant covers one of the first mutant's two letters and both of the second's: 3 of
    # 4. The set finds the first bug if it covers the letter `a`.
    bugs = [bug(("deadlock", "a"), ("passed", "b")), bug(("deadlock", "cd"), ("deadlock", "cd"))]
    plan = Plan(criteria=["letters"], executions=4, sets=20)
    found = list(points(bugs, plan))
    assert {found_point.coverage["letters"] for found_point in found} == {0.75}
    assert {found_point.bugs for found_point in found} == {0.5, 1.0}


def test_a_set_has_no_coverage_of_a_criterion_without_requirements() -> None:
    collector = Collector(["letters", "digits"])
    for outcome in ("passed", "deadlock"):
        collector.add(outcome, {"letters": {("a",)}, "digits": set()})
    found = list(points([collector.collection()], Plan(criteria=["letters", "digits"], executions=4, sets=2)))
    assert [found_point.coverage for found_point in found] == [{"letters": 1.0}] * 2


def test_a_subject_without_bugs_has_no_points() -> None:
    assert list(points([], Plan())) == []


def test_sizes_stay_below_a_quarter_of_the_executions() -> None:
    assert Plan(executions=200).sizes == (1, 2, 3, 5, 8, 13, 21, 34)
    assert Plan(executions=40).sizes == (1, 2, 3, 5, 8)
    assert Plan(executions=4).sizes == (1,)
