"""Detecting saturation, and estimating the chance of new coverage."""

from __future__ import annotations

from raddle.analysis.saturation import PATIENCE, Saturation, chance_of_anything_new, has_few_unique
from raddle.tally import Tally


def after(news):
    saturation = Saturation()
    for new in news:
        saturation.add(new)
    return saturation


def test_a_plateau_must_last_as_long_as_the_search_before_it():
    # Execution 1000 covers something new, so 1000 more must follow without new coverage.
    assert not after([0] * 999 + [1] + [0] * 999).reached
    assert after([0] * 999 + [1] + [0] * 1000).reached


def test_a_short_search_needs_a_minimum_number_of_executions():
    assert not after([1] + [0] * (PATIENCE - 1)).reached
    assert after([1] + [0] * PATIENCE).reached


def test_a_requirement_covered_once_raises_the_chance_of_new_coverage():
    # 1 of 1,000 executions covers a requirement that no other execution covers. So about one more requirement is
    # expected in the next 1,000, and the chance of anything new is 1 - 1/e.
    tally = Tally()
    for number in range(1, 1001):
        tally.add(number, "sync", [("a",), ("b",)] if number == 400 else [("a",)])
    assert round(chance_of_anything_new(tally, 1000), 2) == 0.63
    assert round(chance_of_anything_new(tally, 10), 2) == 0.01


def test_fewer_than_100_executions_give_no_estimate():
    tally = Tally()
    for number in range(1, 100):
        tally.add(number, "sync", [("a",)])
    assert chance_of_anything_new(tally) is None
    tally.add(100, "sync", [("a",)])
    assert chance_of_anything_new(tally) == 0


def test_recent_new_coverage_raises_the_chance_of_new_coverage():
    # Everything was covered at least twice, but one requirement was new in the second half. Logarithmic growth then
    # gives 1/ln 2 · ln 2 = 1 more requirement in the next 1,000 executions.
    tally = Tally()
    for number in range(1, 1001):
        tally.add(number, "sync", [("a",), ("b",)] if number in (800, 900) else [("a",)])
    assert round(chance_of_anything_new(tally, 1000), 2) == 0.63


def test_few_unique_means_at_most_one_in_two_hundred():
    tally = Tally()
    for number in range(1, 201):
        tally.add(number, "sync", [("a",), ("b",)] if number == 7 else [("a",)])
    assert has_few_unique(tally)
    tally.add(200, "map", [("c",)])
    assert not has_few_unique(tally)
