"""What is aimed at, in which order, and what is given up."""

from __future__ import annotations

import pytest

from raddle.entities import AbstractVariable, make_entities
from raddle.guide.targets import TRIES, CoverageTargets

CAST = make_entities(variables=[AbstractVariable("a.py:Box", "", "x")], actors=["main", "one", "other"])
STARTS = [(0, "start", 1, 0), (1, "begin", 1, 0), (0, "start", 2, 0), (2, "begin", 2, 0)]
# T1 reads and writes, then T2 does: one of T2's steps can come between T1's two.
STEPS = [*STARTS, (1, "read", 0, 70001), (1, "write", 0, 70002), (2, "read", 0, 70001), (2, "write", 0, 70002)]


def test_nothing_is_aimed_at_before_anything_was_seen():
    targets = CoverageTargets(["du-pairs"], seed=1)
    assert targets.next_plan() == ()
    assert targets.empty


def test_the_plans_end_when_everything_is_covered_or_given_up():
    targets = CoverageTargets(["map"], seed=1)
    targets.learn(STEPS, CAST, {"map": frozenset()})
    plans = []
    while plan := targets.next_plan():
        plans.append(plan)
        targets.learn(STEPS, CAST, {"map": frozenset()})  # it never works out
        assert len(plans) < 1000
    reached = targets.reached()
    assert reached.plans == len(plans) > 0
    assert reached.covered == 0
    assert reached.given_up > 0
    assert set(targets.given_up()) == {goal for goal, tries in targets._tries.items() if tries == TRIES}
    assert targets.empty


def test_what_is_covered_is_not_aimed_at():
    targets = CoverageTargets(["map"], seed=1)
    targets.learn(STEPS, CAST, {"map": frozenset()})
    targets.next_plan()
    everything = frozenset(key for waiting in targets._covering_candidates for key in waiting.goals["map"])
    everything |= frozenset(key for _, key in targets._tries)
    targets.learn(STEPS, CAST, {"map": everything})
    while targets.next_plan():
        pass
    assert targets.reached().given_up == 0
    assert targets.reached().covered == targets.reached().aimed > 0


def test_an_execution_like_one_before_teaches_nothing():
    targets = CoverageTargets(["map"], seed=1)
    for _ in range(3):
        targets.learn(STEPS, CAST, {"map": frozenset()})
    assert len(targets._predictions) == 1


def test_a_plan_is_looked_at_in_two_executions_at_most():
    """In each a thread leaves another function in the end: all are of other shapes, but can be stopped at the same."""
    targets = CoverageTargets(["map"], seed=1)
    for site in (70003, 70004, 70005):
        targets.learn([*STEPS, (1, "leave", 0, site)], CAST, {"map": frozenset()})
    first, second, third = (len(prediction._orders_left) for prediction in targets._predictions)
    assert first == second > 0 == third


@pytest.mark.parametrize("seed", [1, 2])
def test_the_seed_decides(seed):
    def plans():
        targets = CoverageTargets(["map"], seed=seed)
        targets.learn(STEPS, CAST, {"map": frozenset()})
        return [targets.next_plan() for _ in range(5)]

    assert plans() == plans()
