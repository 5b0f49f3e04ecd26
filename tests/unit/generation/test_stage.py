from random import Random

import shared_classes
from fake_builder import FakeBuilder, make_workbench

from raddle.generation.expressions import Imported, Literal, New
from raddle.generation.raw_patterns import Family
from raddle.generation.stage import MAX_USES, Stage

PRIORITY = New(Imported("shared_classes", "Priority"), (Literal(1),))


def names(threads):
    return None if threads is None else [[call.method.name for call in thread] for thread in threads]


def stage_of(workbench, cls, methods, calls=None):
    builder = FakeBuilder(workbench, cls, calls)
    stage = Stage(builder.prefix(), builder, Random(1), None)
    for name in methods:
        stage.observe(builder.method(name))
    return stage


def test_calls_that_were_seen_to_make_the_steps_are_chosen():
    # get_both reads left and right, set_both writes left and then right, without a lock.
    left, right = ("shared_classes.py:Pair", "left"), ("shared_classes.py:Pair", "right")
    with make_workbench() as workbench:
        stage = stage_of(workbench, shared_classes.Pair, ["get_both", "set_both"], {"set_both": [(Literal(1),)]})
        found = set(stage.families())
        assert {Family(14, left, right), Family(12, left, right)} <= found
        assert Family(14, right, left) not in found  # get_both reads left first
        assert names(stage.threads(Family(1, left))) == [["get_both"], ["set_both"]]
        assert names(stage.threads(Family(14, left, right))) in (
            [["get_both"], ["set_both"]],
            [["get_both"], ["set_both", "set_both"]],
            [["get_both", "get_both"], ["set_both"]],
            [["get_both", "get_both"], ["set_both", "set_both"]],
        )


def test_a_call_does_not_fit_if_it_did_not_make_the_access():
    # The threshold is None at first, so `is_as_severe_as_threshold` reads it once and never reads its level.
    threshold, level = ("shared_classes.py:Threshold", "th"), ("shared_classes.py:Priority", "level")
    calls = {"is_as_severe_as_threshold": [(PRIORITY,)], "set_threshold": [(PRIORITY,)]}
    with make_workbench() as workbench:
        stage = stage_of(workbench, shared_classes.Threshold, list(calls), calls)
        assert names(stage.threads(Family(1, threshold))) == [["is_as_severe_as_threshold"], ["set_threshold"]]
        assert stage.threads(Family(1, level)) is None
        assert Family(4, threshold) not in stage.families()  # no call reads the threshold twice


def test_calls_that_raise_are_not_used():
    with make_workbench() as workbench:
        stage = stage_of(workbench, shared_classes.Exits, ["fail"])
        assert stage.families() == []


def test_a_stage_is_used_up_after_a_number_of_uses():
    with make_workbench() as workbench:
        stage = stage_of(workbench, shared_classes.Pair, [])
        assert not stage.is_used_up
        stage.uses = MAX_USES
        assert stage.is_used_up
