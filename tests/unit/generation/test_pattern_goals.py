from random import Random

from raddle.generation.access_model import Access, AccessModel
from raddle.generation.expressions import Imported
from raddle.generation.pattern_goals import GIVE_UP, GIVE_UP_FAMILY, PatternGoals
from raddle.generation.raw_patterns import RawPattern
from raddle.generation.surface import Method, MethodKind

METHOD = Method("m", MethodKind.METHOD, Imported("log", "Log"))
X, Y = ("log.py:Log", "x"), ("log.py:Log", "y")


def model_of(*accesses):
    return AccessModel({METHOD: [Access(kind, variable, site) for kind, variable, site in accesses]})


def both():
    return model_of(("write", X, 1), ("write", Y, 2))


def all_patterns(model):
    """Every pattern, for a model with one site for each kind and variable."""
    for family in model.families():
        sites = tuple(next(iter(model.sites(part.kind, family.variable(part)))) for part in family.parts)
        yield RawPattern(*family, sites)


def test_families_are_tried_in_turn_and_those_of_one_variable_come_first():
    # Written only: patterns 3 and 8 for each variable, and 9, 10, 11 for each order of the pair.
    goals = PatternGoals(both(), Random(1))
    first, second = ([goals.next_family() for _ in range(10)] for _ in range(2))
    assert [family.pair for family in first] == [False] * 4 + [True] * 6
    assert len(set(first)) == 10
    assert [family.pair for family in second] == [False] * 4 + [True] * 6


def test_infeasible_patterns_of_one_variable_do_not_starve_those_of_two():
    goals = PatternGoals(both(), Random(1))
    aimed = [goals.next_family() for _ in range(40)]  # nothing is ever covered
    assert sum(family.pair for family in aimed) == 24


def test_a_covered_family_is_not_aimed_at_again():
    model = model_of(("write", X, 1))
    goals = PatternGoals(model, Random(1))
    patterns = list(all_patterns(model))
    assert [pattern.number for pattern in patterns] == [3, 8]
    goals.cover(patterns[:1])
    assert {goals.next_family().number for _ in range(GIVE_UP_FAMILY)} == {8}
    goals.cover(patterns[1:])
    assert goals.next_family() is None


def test_a_family_is_given_up_after_several_tests():
    goals = PatternGoals(model_of(("write", X, 1)), Random(1))
    aimed = 0
    while goals.next_family() is not None:
        aimed += 1
    assert aimed == 2 * GIVE_UP_FAMILY


def test_a_pattern_is_given_up_after_several_executions_and_can_still_be_covered():
    model = model_of(("write", X, 1))
    goals = PatternGoals(model, Random(1))
    pattern = next(all_patterns(model))
    for _ in range(GIVE_UP):
        assert goals.is_open(pattern)
        goals.add_try(pattern)
    assert not goals.is_open(pattern)
    assert goals.given_up == 1
    assert model.total() == 2  # the total does not change
    goals.cover([pattern])
    assert goals.given_up == 0
    assert goals.covered == {pattern}


def test_a_new_round_aims_at_covered_patterns_again():
    model = model_of(("write", X, 1))
    goals = PatternGoals(model, Random(1))
    goals.cover(all_patterns(model))
    assert goals.next_family() is None
    goals.restart()
    assert goals.next_family() is not None
    assert len(goals.covered) == 2  # still counted
    assert goals.rounds == 2
