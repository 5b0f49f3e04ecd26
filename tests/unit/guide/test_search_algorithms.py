"""Search algorithms on landscapes whose tops are known."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from raddle.tuning.algorithms import ALGORITHMS, ELITE, POPULATION, genetic, hill_climbing, random_search
from raddle.tuning.configurations import SCALE, Dimension, Space

SIDE = 10


def line(length):
    return Space((Dimension("x", tuple(range(length)), SCALE),), lambda values: values["x"])


def square():
    dimensions = tuple(Dimension(name, tuple(range(SIDE)), SCALE) for name in "xy")
    return Space(dimensions, lambda values: (values["x"], values["y"]))


def one_peak(point):
    return -abs(point[0] - 7) - abs(point[1] - 2)


def asked(proposals, landscape):
    """The points proposed, without end."""
    point = next(proposals)
    while True:
        yield point
        point = proposals.send(landscape(point))


@pytest.mark.parametrize("seed", range(20))
def test_hill_climbing_reaches_the_top_of_one_peak(seed):
    # A path upwards has at most 7 + 7 steps, as (0, 9) is 14 away from (7, 2); each step tries at most 4 neighbours.
    points = islice(asked(hill_climbing(square(), Random(seed)), one_peak), 1 + 14 * 4)
    assert (7, 2) in points


def test_hill_climbing_only_moves_one_step_from_where_it_stands():
    points = list(islice(asked(hill_climbing(square(), Random(1)), one_peak), 60))
    until_top = points[: points.index((7, 2)) + 1]
    here = until_top[0]
    for point in until_top[1:]:
        assert abs(point[0] - here[0]) + abs(point[1] - here[1]) == 1
        if one_peak(point) > one_peak(here):
            here = point


def test_hill_climbing_begins_anew_where_no_neighbour_is_better():
    # Two hills on a line of seven: 0 and 6 are tops, 3 is the valley. From one top only a new start leads to the other.
    points = set(islice(asked(hill_climbing(line(7), Random(1)), lambda point: abs(point[0] - 3)), 100))
    assert {(0,), (6,)} <= points


def test_hill_climbing_does_not_wander_over_a_plain():
    # All are alike: a start, its neighbours (2, or 1 at the ends), the next start.
    points = list(islice(asked(hill_climbing(line(50), Random(1)), lambda point: 0.0), 30))
    index = 0
    while index + 3 < len(points):
        (start,) = points[index]
        around = [(x,) for x in (start - 1, start + 1) if 0 <= x < 50]
        assert sorted(points[index + 1 : index + 1 + len(around)]) == around
        index += 1 + len(around)


def test_random_search_covers_the_space_whatever_it_is_told():
    # The chance that 100 points are not all among 2,000 drawn is below 100 · 0.99 ** 2000 < 1e-6.
    points = set(islice(asked(random_search(square(), Random(1)), one_peak), 2000))
    assert len(points) == SIDE * SIDE


def test_a_generation_keeps_the_elite():
    # Everything after the first generation is worth nothing. Were its elite lost, parents would be drawn from the
    # worthless ones alone, and its values would leave the population.
    proposals = genetic(square(), Random(1))
    first = [next(proposals)]
    while len(first) < POPULATION:
        first.append(proposals.send(float(len(first))))  # the later, the fitter
    elite = first[-ELITE:]
    point = proposals.send(float(POPULATION))
    heirs, children = 0, 0
    for _ in range(20 * (POPULATION - ELITE)):
        children += 1
        heirs += any(point[axis] == parent[axis] for parent in elite for axis in (0, 1))
        point = proposals.send(0.0)
    # 20 generations later most children still have a value of the elite; by chance alone, with at most two values
    # of ten on each axis, it would be 1 - 0.8 ** 2 = 36 %.
    assert heirs / children > 0.6


@pytest.mark.parametrize("seed", range(10))
def test_generations_climb(seed):
    # A peak in a space of 10 ** 4 points: 300 points drawn at random hold the top 3 % of the time, and are at best
    # about 5 away from it in most cases; every search by generations must come within 2.
    space = Space(
        tuple(Dimension(name, tuple(range(10)), SCALE) for name in "abcd"), lambda values: tuple(values.values())
    )

    def landscape(point):
        return -sum(abs(value - 7) for value in point)

    points = islice(asked(genetic(space, Random(seed)), landscape), 300)
    assert max(map(landscape, points)) >= -2


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_seed_decides(name):
    def points(seed):
        return list(islice(asked(ALGORITHMS[name](square(), Random(seed)), one_peak), 50))

    assert points(4) == points(4)
    assert points(4) != points(5)
