from random import Random

import pytest

from raddle.entities import AbstractVariable, make_entities
from raddle.generation.access_model import Access, AccessModel
from raddle.generation.covcon_ranking import PairRanking
from raddle.generation.expressions import Imported
from raddle.generation.method_choice import MethodChoice
from raddle.generation.raw_patterns import Family
from raddle.generation.separable_steps import SeparableSteps
from raddle.generation.surface import Method, MethodKind

OWNER = Imported("log", "Log")
X, Y = ("log.py:Log", "x"), ("log.py:Log", "y")
READ_X, WRITE_X, READ_Y, WRITE_Y, WRITE_X2 = (
    Method(name, MethodKind.METHOD, OWNER) for name in ("read_x", "write_x", "read_y", "write_y", "write_x2")
)
MODEL = AccessModel({
    READ_X: [Access("read", X, 1)],
    WRITE_X: [Access("write", X, 2)],
    READ_Y: [Access("read", Y, 3)],
    WRITE_Y: [Access("write", Y, 4)],
    WRITE_X2: [Access("write", X, 5), Access("write", X, 6)],
})  # fmt: skip
WX = {WRITE_X, WRITE_X2}


@pytest.mark.parametrize(
    ("number", "a", "b"),
    [
        (1, [{READ_X}], [WX]),
        (2, [WX], [{READ_X}]),
        (12, [WX, {WRITE_Y}], [{READ_X}, {READ_Y}]),  # A Wx, B Rx, B Ry, A Wy
        (13, [WX, {WRITE_Y}], [{READ_Y}, {READ_X}]),
        (14, [{READ_X}, {READ_Y}], [WX, {WRITE_Y}]),
        (16, [{READ_X}, {READ_Y}], [{WRITE_Y}, WX]),  # A Rx, B Wy, A Ry, B Wx
        (10, [WX, {WRITE_Y}], [{WRITE_Y}, WX]),
    ],
)
def test_each_method_goes_to_the_thread_of_its_step(number, a, b):
    for seed in range(5):
        threads = MethodChoice(MODEL, Random(seed))(Family(number, X, Y if number > 8 else ("", "")))
        for methods, expected in zip(threads, (a, b), strict=True):
            assert len(methods) == len(expected)
            assert all(method in fitting for method, fitting in zip(methods, expected, strict=True))


def test_a_method_with_two_accesses_that_fit_is_called_once():
    # Pattern 8: A writes, B writes, A writes. write_x2 writes twice; write_x must be called a second time.
    seen = set()
    for seed in range(60):
        (a, _) = MethodChoice(MODEL, Random(seed))(Family(8, X))
        seen.add(a)
    assert seen == {(WRITE_X2,), (WRITE_X, WRITE_X), (WRITE_X, WRITE_X2), (WRITE_X2, WRITE_X)}


def test_no_methods_fit_a_variable_that_is_never_read():
    model = AccessModel({WRITE_X: [Access("write", X, 2)]})
    assert MethodChoice(model, Random(1))(Family(4, X)) is None


def test_the_first_two_methods_come_from_the_ranking():
    methods = [READ_X, WRITE_X, READ_Y, WRITE_Y, WRITE_X2]
    ranking = PairRanking(methods, Random(1))
    for pair in ranking.pairs:
        ranking.add_tried(pair)
    ranking.add_tried((READ_X, WRITE_X))
    # (read_x, write_x) has been tried twice: score 4; all others have score 1. So write_x2 is preferred every time.
    for seed in range(10):
        assert MethodChoice(MODEL, Random(seed), ranking=ranking)(Family(1, X)) == ((READ_X,), (WRITE_X2,))
        # Also if the pair is ranked the other way round.
        assert MethodChoice(MODEL, Random(seed), ranking=ranking)(Family(2, X)) == ((WRITE_X2,), (READ_X,))


def test_without_a_ranking_all_methods_are_drawn_at_random():
    drawn = {MethodChoice(MODEL, Random(seed))(Family(1, X)) for seed in range(20)}
    assert drawn == {((READ_X,), (WRITE_X,)), ((READ_X,), (WRITE_X2,))}


def test_either_method_of_a_pair_can_come_first():
    ranking = PairRanking([WRITE_X, WRITE_X2], Random(1))
    for pair in ((WRITE_X, WRITE_X), (WRITE_X2, WRITE_X2)):
        ranking.add_tried(pair)  # so that (write_x, write_x2) is ranked first
    chosen = {MethodChoice(MODEL, Random(seed), ranking=ranking)(Family(3, X)) for seed in range(20)}
    assert chosen == {((WRITE_X,), (WRITE_X2,)), ((WRITE_X2,), (WRITE_X,))}


def test_a_method_with_separable_steps_makes_both_steps_in_most_tests():
    both = Method("both", MethodKind.METHOD, OWNER)
    read_x2 = Method("read_x2", MethodKind.METHOD, OWNER)
    model = AccessModel({
        both: [Access("read", X, 1), Access("read", Y, 2)],
        read_x2: [Access("read", X, 7)],
        WRITE_X: [Access("write", X, 3)],
        WRITE_Y: [Access("write", Y, 4)],
    })  # fmt: skip
    steps = SeparableSteps()
    entities = make_entities(variables=[AbstractVariable(*name[:1], "", name[1]) for name in (X, Y)])
    steps.learn(both, [(1, "read", 0, 1), (1, "read", 1, 2)], entities)
    chosen = [MethodChoice(model, Random(seed), steps=steps)(Family(14, X, Y)) for seed in range(60)]
    # A reads x and y in one call, and B writes x and y. Otherwise the first method of A is drawn from two.
    assert chosen.count(((both,), (WRITE_X, WRITE_Y))) > 40
    assert ((read_x2, both), (WRITE_X, WRITE_Y)) in chosen
