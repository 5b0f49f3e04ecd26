"""The space of configurations: random draws, neighbors, and the options that a configuration represents."""

from __future__ import annotations

from random import Random

import pytest

from raddle.native.noise import Noise
from raddle.schedulers import make_scheduler
from raddle.tuning.configurations import (
    SCALE,
    SEEDS,
    Configuration,
    Dimension,
    Space,
    no_noise,
    noise_space,
    scheduler_space,
)


def test_neighbors_on_a_scale_are_the_adjacent_values():
    scale = Dimension("strength", (1, 2, 5), SCALE)
    assert [scale.next_to(value, Random(1)) for value in (1, 2, 5)] == [[2], [1, 5], [2]]


def test_neighbors_of_a_word_are_all_other_words():
    assert Dimension("kind", ("yield", "sleep", "busy")).next_to("sleep", Random(1)) == ["yield", "busy"]


def test_the_only_neighbor_of_a_seed_is_a_random_other_seed():
    seeds = Dimension("seed", tuple(range(1, 101)), SEEDS)
    drawn = [seeds.next_to(7, Random(number)) for number in range(50)]
    assert {len(values) for values in drawn} == {1}
    assert all(value != 7 for (value,) in drawn)
    assert len({value for (value,) in drawn}) > 1
    assert Dimension("seed", (7,), SEEDS).next_to(7, Random(1)) == []


def test_each_neighbor_represents_a_different_configuration():
    # "b" ignores the depth, so ("b", 1) and ("b", 3) equal ("b", 2). The only neighbor is ("a", 2).
    space = Space(
        (Dimension("name", ("a", "b")), Dimension("depth", (1, 2, 3), SCALE)),
        lambda values: (values["name"], values["depth"] if values["name"] == "a" else None),
    )
    assert space.neighbors(("b", 2), Random(1)) == [("a", 2)]
    assert sorted(space.neighbors(("a", 2), Random(1))) == [("a", 1), ("a", 3), ("b", 2)]


def test_a_crossed_point_has_each_value_from_a_parent():
    space = Space((Dimension("x", (1, 2, 3)), Dimension("y", (1, 2, 3))), lambda values: tuple(values.values()))
    children = {space.crossed((1, 1), (3, 2), Random(seed)) for seed in range(50)}
    assert children == {(1, 1), (1, 2), (3, 1), (3, 2)}


def test_mutation_can_reach_every_point():
    space = Space((Dimension("x", (1, 2)), Dimension("y", (1, 2))), lambda values: tuple(values.values()))
    assert {space.mutated((1, 1), Random(seed)) for seed in range(100)} == {(1, 1), (1, 2), (2, 1), (2, 2)}


def test_every_drawn_scheduler_is_valid_for_explore():
    space, rng = scheduler_space(), Random(1)
    configurations = {space.configuration(space.draw(rng)) for _ in range(300)}
    for configuration in configurations:
        make_scheduler(configuration.value, seed=configuration.seed or 1)
    assert {configuration.value.partition(":")[0] for configuration in configurations} == {
        "random", "pct", "pos", "surw", "round-robin", "exhaustive",
    }  # fmt: skip
    # These two schedulers use no random numbers, so their configurations have no seed.
    assert all((each.seed is None) == each.value.startswith(("round-robin", "exhaustive")) for each in configurations)


def test_every_drawn_noise_is_valid_for_run():
    space, rng = noise_space(), Random(1)
    configurations = {space.configuration(space.draw(rng)) for _ in range(300)}
    assert no_noise() in configurations
    noises = [Noise.parse(configuration.value) for configuration in configurations if configuration.value]
    assert {noise.kind for noise in noises} == {"yield", "sleep", "busy", "switch-interval"}
    assert {noise.where for noise in noises} == {"everywhere", "shared", "locks"}


@pytest.mark.parametrize(
    ("configuration", "arguments", "text"),
    [
        (Configuration("noise", "", None), (), "no noise"),
        (
            Configuration("noise", "yield:where=locks", 3),
            ("--noise", "yield:where=locks", "--seed", "3"),
            "--noise yield:where=locks --seed 3",
        ),
        (Configuration("scheduler", "pos", None), ("--scheduler", "pos"), "--scheduler pos"),
    ],
)
def test_a_configuration_is_written_as_options(configuration, arguments, text):
    assert (configuration.arguments, str(configuration)) == (arguments, text)
