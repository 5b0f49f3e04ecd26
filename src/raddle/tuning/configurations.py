"""Configurations: the ways to run that a search looks through, as points of a space with dimensions.

After SearchBestie (Křena, Letko, Vojnar and Ur, PADTAD 2010): for native runs a configuration is noise (kind,
place, probability, strength) and its seed; for scenarios, which SearchBestie has not, it is a scheduler with its
parameters and seed. A point has a value in every dimension, also in those that mean nothing for it, as the depth
of PCT for a random walk: so points can be crossed. What is run is the configuration that a point stands for.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from raddle.native.noise import KINDS, PLACES

Value = str | int | float
Point = tuple[Value, ...]
C = TypeVar("C", bound=Hashable)

WORDS = "words"  # each value is next to each other one
SCALE = "scale"  # a value is next to the one before it and the one after it
SEEDS = "seeds"  # all values are alike: any one of the others stands for all of them

MAX_SEEDS = 1000
NO_NOISE = "none"


@dataclass(frozen=True, slots=True)
class Dimension:
    """What can be chosen, and what is next to what.

    >>> Dimension("depth", (2, 3, 5), SCALE).next_to(3, Random(1))
    [2, 5]
    """

    name: str
    values: tuple[Value, ...]
    kind: str = WORDS

    def next_to(self, value: Value, chance: Random) -> list[Value]:
        """The values one step away."""
        place = self.values.index(value)
        if self.kind == SCALE:
            return [*self.values[max(place - 1, 0) : place], *self.values[place + 1 : place + 2]]
        others = [*self.values[:place], *self.values[place + 1 :]]
        return [chance.choice(others)] if self.kind == SEEDS and others else others


@dataclass(frozen=True, slots=True)
class Space(Generic[C]):
    """All points, and the configuration that each of them stands for.

    >>> plane = Space((Dimension("x", (1, 2, 3), SCALE), Dimension("y", ("a", "b"))), lambda p: (p["x"], p["y"]))
    >>> sorted(plane.neighbours((1, "a"), Random(1)))
    [(1, 'b'), (2, 'a')]
    """

    dimensions: tuple[Dimension, ...]
    express: Callable[[Mapping[str, Value]], C]

    def configuration(self, point: Point) -> C:
        """What is run."""
        return self.express(dict(zip([dimension.name for dimension in self.dimensions], point, strict=True)))

    def draw(self, chance: Random) -> Point:
        """Any point."""
        return tuple([chance.choice(dimension.values) for dimension in self.dimensions])

    def neighbours(self, point: Point, chance: Random) -> list[Point]:
        """The points one step away that stand for another configuration, each once, in any order."""
        found: dict[C, Point] = {}
        for place, dimension in enumerate(self.dimensions):
            for value in dimension.next_to(point[place], chance):
                moved = (*point[:place], value, *point[place + 1 :])
                found.setdefault(self.configuration(moved), moved)
        found.pop(self.configuration(point), None)
        points = list(found.values())
        chance.shuffle(points)
        return points

    def crossed(self, one: Point, other: Point, chance: Random) -> Point:
        """A point that has each of its values from one of two others."""
        return tuple([chance.choice(pair) for pair in zip(one, other, strict=True)])

    def mutated(self, point: Point, chance: Random) -> Point:
        """On average one value is drawn anew."""
        return tuple([
            chance.choice(dimension.values) if chance.random() < 1 / len(self.dimensions) else value
            for dimension, value in zip(self.dimensions, point, strict=True)
        ])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Configuration:
    """Options of `raddle run` or `raddle explore`.

    >>> str(Configuration("scheduler", "pct:depth=3", 7))
    '--scheduler pct:depth=3 --seed 7'
    >>> str(Configuration("noise", "", None))
    'no noise'
    """

    option: str  # "noise" or "scheduler"
    value: str  # "" where the option is not given
    seed: int | None  # None where nothing is drawn

    @property
    def arguments(self) -> tuple[str, ...]:
        """As they are given on the command line."""
        seed = () if self.seed is None else ("--seed", str(self.seed))
        return (f"--{self.option}", self.value, *seed) if self.value else seed

    def __str__(self) -> str:
        return shlex.join(self.arguments) or f"no {self.option}"


_SEEDS = Dimension("seed", tuple(range(1, MAX_SEEDS + 1)), SEEDS)

# The parameter of each scheduler that has one, and whether it draws anything.
_SCHEDULERS: dict[str, tuple[str | None, bool]] = {
    "random": (None, True),
    "pct": ("depth", True),
    "pos": (None, True),
    "surw": (None, True),
    "round-robin": ("quantum", False),
    "exhaustive": ("preemptions", False),
}


def scheduler_space() -> Space[Configuration]:
    """Schedulers and their parameters, for scenarios.

    >>> space = scheduler_space()
    >>> str(space.configuration(("pct", 3, 1, 2, 9))), str(space.configuration(("round-robin", 3, 1, 2, 9)))
    ('--scheduler pct:depth=3 --seed 9', '--scheduler round-robin:quantum=1')
    """
    return Space(
        (
            Dimension("name", tuple(_SCHEDULERS)),
            Dimension("depth", (1, 2, 3, 4, 5, 7, 10), SCALE),
            Dimension("quantum", (1, 2, 3, 5, 8, 13), SCALE),
            Dimension("preemptions", (0, 1, 2, 3, 4), SCALE),
            _SEEDS,
        ),
        _scheduler,
    )


def noise_space() -> Space[Configuration]:
    """Noise and its seed, for native runs; the strength is in milliseconds.

    >>> space = noise_space()
    >>> str(space.configuration(("sleep", "shared", 0.1, 5.0, 9)))
    '--noise sleep:where=shared,probability=0.1,strength=5 --seed 9'
    >>> str(space.configuration(("yield", "locks", 0.1, 5.0, 9))), str(no_noise())
    ('--noise yield:where=locks,probability=0.1 --seed 9', 'no noise')
    """
    return Space(
        (
            Dimension("kind", (NO_NOISE, *KINDS)),
            Dimension("where", PLACES),
            Dimension("probability", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0), SCALE),
            Dimension("strength", (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0), SCALE),
            _SEEDS,
        ),
        _noise,
    )


def no_noise() -> Configuration:
    """Runs that are only watched."""
    return Configuration("noise", "", None)


def _scheduler(values: Mapping[str, Value]) -> Configuration:
    name = str(values["name"])
    parameter, draws = _SCHEDULERS[name]
    text = name if parameter is None else f"{name}:{parameter}={values[parameter]}"
    return Configuration("scheduler", text, int(values["seed"]) if draws else None)


def _noise(values: Mapping[str, Value]) -> Configuration:
    if values["kind"] == NO_NOISE:
        return no_noise()
    names = ["where", "probability", *(["strength"] if values["kind"] != "yield" else [])]
    options = ",".join(f"{name}={_plain(values[name])}" for name in names)
    return Configuration("noise", f"{values['kind']}:{options}", int(values["seed"]))


def _plain(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
