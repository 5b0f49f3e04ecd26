"""Search algorithms on fitness landscapes with known maxima."""

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


def proposed_points(proposals, landscape):
    """Yield the proposed points indefinitely. `landscape` gives the fitness of each point."""
    point = next(proposals)
    while True:
        yield point
        point = proposals.send(landscape(point))


@pytest.mark.parametrize("seed", range(20))
def test_hill_climbing_reaches_the_top_of_one_peak(seed):
    # An uphill path has at most 7 + 7 steps, since (0, 9) is 14 away from (7, 2). Each step tries at most 4 neighbors.
    points = islice(proposed_points(hill_climbing(square(), Random(seed)), one_peak), 1 + 14 * 4)
    assert (7, 2) in points


def test_hill_climbing_moves_only_to_neighbors():
    points = list(islice(proposed_points(hill_climbing(square(), Random(1)), one_peak), 60))
    until_top = points[: points.index((7, 2)) + 1]
    here = until_top[0]
    for point in until_top[1:]:
        assert abs(point[0] - here[0]) + abs(point[1] - here[1]) == 1
        if one_peak(point) > one_peak(here):
            here = point


def test_hill_climbing_restarts_when_no_neighbor_is_better():
    # Two hills on a line of seven points: 0 and 6 are the tops, 3 is the valley. Only a restart leads from one top to
    # the other.
    points = set(islice(proposed_points(hill_climbing(line(7), Random(1)), lambda point: abs(point[0] - 3)), 100))
    assert {(0,), (6,)} <= points


def test_hill_climbing_restarts_on_a_plateau():
    # All points are equally fit. So the search proposes a starting point, its neighbors (2, or 1 at the ends), and the
    # next starting point.
    points = list(islice(proposed_points(hill_climbing(line(50), Random(1)), lambda point: 0.0), 30))
    index = 0
    while index + 3 < len(points):
        (start,) = points[index]
        around = [(x,) for x in (start - 1, start + 1) if 0 <= x < 50]
        assert sorted(points[index + 1 : index + 1 + len(around)]) == around
        index += 1 + len(around)


def test_random_search_covers_the_space_regardless_of_fitness():
    # The probability that 2,000 draws miss at least one of the 100 points is below 100 · 0.99 ** 2000 < 1e-6.
    points = set(islice(proposed_points(random_search(square(), Random(1)), one_peak), 2000))
    assert len(points) == SIDE * SIDE


def test_a_generation_keeps_the_elite():
    # All points after the first generation have fitness 0. If the elite were lost, parents would be drawn only from
    # points of fitness 0, and the values of the elite would disappear from the population.
    proposals = genetic(square(), Random(1))
    first = [next(proposals)]
    while len(first) < POPULATION:
        first.append(proposals.send(float(len(first))))  # later points are fitter
    elite = first[-ELITE:]
    point = proposals.send(float(POPULATION))
    heirs, children = 0, 0
    for _ in range(20 * (POPULATION - ELITE)):
        children += 1
        heirs += any(point[axis] == parent[axis] for parent in elite for axis in (0, 1))
        point = proposals.send(0.0)
    # 20 generations later, most children still share a value with the elite. The elite has at most two of the ten
    # values on each axis, so chance alone would give a share of at most 1 - 0.8 ** 2 = 36 %.
    assert heirs / children > 0.6


@pytest.mark.parametrize("seed", range(10))
def test_the_genetic_search_comes_near_the_peak(seed):
    # One peak in a space of 10 ** 4 points. 300 random points include the peak 3 % of the time, and the best of them is
    # usually about 5 away from it. Every genetic search must come within a distance of 2.
    space = Space(
        tuple(Dimension(name, tuple(range(10)), SCALE) for name in "abcd"), lambda values: tuple(values.values())
    )

    def landscape(point):
        return -sum(abs(value - 7) for value in point)

    points = islice(proposed_points(genetic(space, Random(seed)), landscape), 300)
    assert max(map(landscape, points)) >= -2


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_seed_determines_the_proposed_points(name):
    def points(seed):
        return list(islice(proposed_points(ALGORITHMS[name](square(), Random(seed)), one_peak), 50))

    assert points(4) == points(4)
    assert points(4) != points(5)
