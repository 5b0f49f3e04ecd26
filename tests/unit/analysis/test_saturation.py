"""When a search is saturated, and what it says about the rest."""

from __future__ import annotations

from raddle.analysis.saturation import PATIENCE, Saturation, chance_of_anything_new, has_few_unique
from raddle.tally import Tally


def after(news):
    saturation = Saturation()
    for new in news:
        saturation.add(new)
    return saturation


def test_a_shoulder_is_waited_out():
    # Something new came in execution 1000: as long again has to pass.
    assert not after([0] * 999 + [1] + [0] * 999).reached
    assert after([0] * 999 + [1] + [0] * 1000).reached


def test_a_quick_search_is_given_some_time():
    assert not after([1] + [0] * (PATIENCE - 1)).reached
    assert after([1] + [0] * PATIENCE).reached


def test_what_came_once_makes_more_likely():
    # 1 of 1,000 executions covered something that no other did: about one more in the next 1,000, 1 - 1/e.
    tally = Tally()
    for number in range(1, 1001):
        tally.add(number, "sync", [("a",), ("b",)] if number == 400 else [("a",)])
    assert round(chance_of_anything_new(tally, 1000), 2) == 0.63
    assert round(chance_of_anything_new(tally, 10), 2) == 0.01


def test_a_few_executions_say_nothing():
    tally = Tally()
    for number in range(1, 100):
        tally.add(number, "sync", [("a",)])
    assert chance_of_anything_new(tally) is None
    tally.add(100, "sync", [("a",)])
    assert chance_of_anything_new(tally) == 0


def test_what_came_lately_makes_more_likely():
    # Everything was covered twice, but one came first in the last quarter: 1/ln 2 · ln 2 = one more in 1,000.
    tally = Tally()
    for number in range(1, 1001):
        tally.add(number, "sync", [("a",), ("b",)] if number in (800, 900) else [("a",)])
    assert round(chance_of_anything_new(tally, 1000), 2) == 0.63


def test_rare_is_one_in_two_hundred():
    tally = Tally()
    for number in range(1, 201):
        tally.add(number, "sync", [("a",), ("b",)] if number == 7 else [("a",)])
    assert has_few_unique(tally)
    tally.add(200, "map", [("c",)])
    assert not has_few_unique(tally)
