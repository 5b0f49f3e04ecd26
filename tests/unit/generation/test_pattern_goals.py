from random import Random

from raddle.entities import AbstractVariable, make_entities
from raddle.generation.access_model import Access, AccessModel
from raddle.generation.expressions import Imported
from raddle.generation.pattern_goals import GIVE_UP, GIVE_UP_FAMILY, GIVE_UP_VAIN, PatternGoals
from raddle.generation.raw_patterns import Family, RawPattern
from raddle.generation.surface import Method, MethodKind

METHOD = Method("m", MethodKind.METHOD, Imported("log", "Log"))
X, Y = ("log.py:Log", "x"), ("log.py:Log", "y")


def model_of(*accesses):
    return AccessModel({METHOD: [Access(kind, variable, site) for kind, variable, site in accesses]})


def both():
    return model_of(("write", X, 1), ("write", Y, 2))


def all_patterns(model):
    """Every pattern, for a model with one site for each kind and variable."""
    for family in (*model.families(pair=False), *model.families(pair=True)):
        sites = tuple(next(iter(model.sites(part.kind, family.variable(part)))) for part in family.parts)
        yield RawPattern(*family, sites)


def test_families_that_were_tried_least_come_first():
    # Written only: patterns 3 and 8 for each variable, and 9, 10, 11 for each order of the pair.
    goals = PatternGoals(both(), Random(1))
    families = [goals.next_family() for _ in range(10 * GIVE_UP_FAMILY)]
    assert goals.next_family() is None
    for pair, count in ((False, 4), (True, 6)):
        aimed = [family for family in families if family.pair == pair]
        for start in range(0, count * GIVE_UP_FAMILY, count):
            assert len(set(aimed[start : start + count])) == count  # each of them once


def test_infeasible_patterns_of_one_variable_do_not_starve_those_of_two():
    goals = PatternGoals(both(), Random(1))
    aimed = [goals.next_family() for _ in range(20)]  # nothing is ever covered
    assert 0 < sum(family.pair for family in aimed) < 20


def test_patterns_that_one_call_can_be_interrupted_in_get_most_tests():
    model = model_of(("write", X, 1), ("write", Y, 2))
    goals = PatternGoals(model, Random(1))
    entities = make_entities(variables=[AbstractVariable("log.py:Log", "", "x")])
    goals.steps.learn(METHOD, [(1, "write", 0, 1), (1, "write", 0, 1)], entities)  # the method writes x twice
    aimed = [goals.next_family() for _ in range(GIVE_UP_FAMILY)]
    assert sum(family == Family(8, X) for family in aimed) > len(aimed) / 2  # only A's two writes of pattern 8 fit
    assert len(set(aimed)) > 1


def test_steps_that_are_found_later_become_targets():
    goals = PatternGoals(both(), Random(1))
    while goals.next_family() is not None:
        pass
    entities = make_entities(variables=[AbstractVariable("log.py:Log", "", "x")])
    goals.steps.learn(METHOD, [(1, "write", 0, 1), (1, "write", 0, 1)], entities)
    assert goals.next_family() == Family(8, X)


def test_families_with_more_patterns_tend_to_come_first():
    z = ("log.py:Log", "z")
    model = model_of(("write", X, 1), *(("write", z, site) for site in range(2, 12)))
    # Pattern 3 of z has 10 * 10 patterns, that of x has one.
    first = [PatternGoals(model, Random(seed)).next_family() for seed in range(20)]
    singles = [family for family in first if not family.pair]
    assert sum(family.x == z for family in singles) > len(singles) / 2


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


def test_the_families_of_a_stage_take_turns():
    goals = PatternGoals(both(), Random(1))
    families = [Family(8, X), Family(8, Y)]
    aimed = [goals.least_tried(families) for _ in range(2 * GIVE_UP_FAMILY)]
    for start in range(0, len(aimed), 2):
        assert set(aimed[start : start + 2]) == set(families)


def test_no_test_is_looked_for_after_several_vain_ones_until_the_next_round():
    goals = PatternGoals(both(), Random(1))
    for _ in range(GIVE_UP_VAIN):
        assert goals.least_tried([Family(8, X)]) == Family(8, X)
        goals.add_vain_test(Family(8, X))
    assert goals.least_tried([Family(8, X)]) is None
    assert Family(8, X) not in {goals.next_family() for _ in range(100)}
    goals.restart()
    assert goals.least_tried([Family(8, X)]) == Family(8, X)


def test_a_round_ends_when_no_family_with_separable_steps_is_left():
    # The method writes x twice, so only family 8 of x has separable steps. The others alone do not prolong the round.
    goals = PatternGoals(both(), Random(1))
    entities = make_entities(variables=[AbstractVariable("log.py:Log", "", "x")])
    goals.steps.learn(METHOD, [(1, "write", 0, 1), (1, "write", 0, 1)], entities)
    aimed = []
    while (family := goals.next_family()) is not None:
        aimed.append(family)
    assert aimed.count(Family(8, X)) == GIVE_UP_FAMILY
    assert len(aimed) < 4 * GIVE_UP_FAMILY  # there are 10 families, and each could have had as many tests
