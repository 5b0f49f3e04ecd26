"""Fitness expressions: their syntax, their values, and the errors for invalid ones."""

from __future__ import annotations

import pytest

from raddle.criteria import DEFAULT
from raddle.errors import UsageError
from raddle.tally import Tally
from raddle.tuning.fitness import Fitness


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("map", [("map", 1)]),
        ("map+2*hbpair*", [("map", 1), ("hbpair*", 2)]),
        (" 0.5 * du-pairs*  +  MAP ", [("du-pairs*", 0.5), ("map", 1)]),
        ("3*avio-star", [("avio*", 3)]),
        ("map+2*map", [("map", 3)]),
        ("2*default", [(name, 2) for name in DEFAULT]),
        ("default+map", [(name, 2 if name == "map" else 1) for name in DEFAULT]),
    ],
)
def test_a_weighted_sum_is_parsed(text, weights):
    assert list(Fitness.parse(text).weights) == weights


def test_a_fitness_can_be_parsed_from_its_text():
    fitness = Fitness.parse("map + 2*hbpair* + 0.5*avio*")
    assert str(fitness) == "map + 2*hbpair* + 0.5*avio*"
    assert Fitness.parse(str(fitness)) == fitness


def test_requirements_count_once_however_often_they_were_covered():
    tally = Tally()
    tally.add(1, "map", [(1,), (2,)])
    tally.add(2, "map", [(2,), (3,)])
    tally.add(2, "sync", [(1,)])
    # 3 requirements of `map` and 1 of `sync` are covered: 3 + 10 · 1 = 13. `avio` was not measured and counts as 0.
    assert Fitness.parse("map+10*sync+5*avio").of(tally) == 13


def test_an_unknown_criterion_is_rejected_with_suggestions():
    with pytest.raises(UsageError, match=r"there is no criterion 'hbpears'; did you mean hbpair") as raised:
        Fitness.parse("map+2*hbpears")
    assert raised.value.slug == "unknown-criterion"


@pytest.mark.parametrize("text", ["", "map+", "map 2", "2", "-1*map", "map**", "0*map", "1.2.3*map", "2*3*map"])
def test_an_invalid_sum_is_rejected(text):
    with pytest.raises(UsageError) as raised:
        Fitness.parse(text)
    assert raised.value.slug == "bad-fitness"
    assert repr(text) in str(raised.value)
