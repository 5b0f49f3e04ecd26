"""Coverage targets: which plans are tried, in which order, and which targets are given up."""

from __future__ import annotations

import pytest

from raddle.entities import AbstractVariable, make_entities
from raddle.guide.targets import TRIES, CoverageTargets

ENTITIES = make_entities(variables=[AbstractVariable("a.py:Box", "", "x")], actors=["main", "one", "other"])
STARTS = [(0, "start", 1, 0), (1, "begin", 1, 0), (0, "start", 2, 0), (2, "begin", 2, 0)]
# T1 reads and writes x, then T2 does the same. A step of T2 could also run between the two steps of T1.
STEPS = [*STARTS, (1, "read", 0, 70001), (1, "write", 0, 70002), (2, "read", 0, 70001), (2, "write", 0, 70002)]


def test_there_is_no_plan_before_the_first_execution():
    targets = CoverageTargets(["du-pairs"], seed=1)
    assert targets.next_plan() == ()
    assert targets.empty


def test_the_plans_end_when_everything_is_covered_or_given_up():
    targets = CoverageTargets(["map"], seed=1)
    targets.learn(STEPS, ENTITIES, {"map": frozenset()})
    plans = []
    while plan := targets.next_plan():
        plans.append(plan)
        targets.learn(STEPS, ENTITIES, {"map": frozenset()})  # no plan ever covers its target
        assert len(plans) < 1000
    reached = targets.reached()
    assert reached.plans == len(plans) > 0
    assert reached.covered == 0
    assert reached.given_up > 0
    assert set(targets.given_up()) == {goal for goal, tries in targets._tries.items() if tries == TRIES}
    assert targets.empty


def test_covered_requirements_are_no_targets():
    targets = CoverageTargets(["map"], seed=1)
    targets.learn(STEPS, ENTITIES, {"map": frozenset()})
    targets.next_plan()
    all_keys = frozenset(key for waiting in targets._covering_candidates for key in waiting.goals["map"])
    all_keys |= frozenset(key for _, key in targets._tries)
    targets.learn(STEPS, ENTITIES, {"map": all_keys})
    while targets.next_plan():
        pass
    assert targets.reached().given_up == 0
    assert targets.reached().covered == targets.reached().aimed > 0


def test_an_execution_of_a_known_shape_adds_no_prediction():
    targets = CoverageTargets(["map"], seed=1)
    for _ in range(3):
        targets.learn(STEPS, ENTITIES, {"map": frozenset()})
    assert len(targets._predictions) == 1


def test_a_plan_is_derived_from_at_most_two_executions():
    """The executions differ in the function that T1 leaves last, but their preemptions are the same."""
    targets = CoverageTargets(["map"], seed=1)
    for site in (70003, 70004, 70005):
        targets.learn([*STEPS, (1, "leave", 0, site)], ENTITIES, {"map": frozenset()})
    first, second, third = (len(prediction._orders_left) for prediction in targets._predictions)
    assert first == second > 0 == third


@pytest.mark.parametrize("seed", [1, 2])
def test_the_seed_determines_the_plans(seed):
    def plans():
        targets = CoverageTargets(["map"], seed=seed)
        targets.learn(STEPS, ENTITIES, {"map": frozenset()})
        return [targets.next_plan() for _ in range(5)]

    assert plans() == plans()
