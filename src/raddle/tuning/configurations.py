"""Configurations: ways to run a program, represented as points in a multidimensional search space.

The design follows SearchBestie (Křena, Letko, Vojnar and Ur, PADTAD 2010). For native runs, a configuration consists of
noise (kind, place, probability, strength) and its seed. For scenarios, it consists of a scheduler, its parameters and
its seed; SearchBestie has no scenarios. A point has a value in every dimension, even in those that its configuration
ignores, such as PCT's depth if the scheduler is a random walk. This makes it possible to cross any two points.
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

WORDS = "words"  # every value is a neighbor of every other
SCALE = "scale"  # the neighbors of a value are the previous and the next value
SEEDS = "seeds"  # values are interchangeable; the neighbor is one other value, chosen at random

MAX_SEEDS = 1000  # number of seeds in the space
NO_NOISE = "none"


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of a space: its values, and which of them are neighbors.

    >>> Dimension("depth", (2, 3, 5), SCALE).next_to(3, Random(1))
    [2, 5]
    """

    name: str
    values: tuple[Value, ...]
    kind: str = WORDS

    def next_to(self, value: Value, rng: Random) -> list[Value]:
        """Return the neighbors of a value."""
        place = self.values.index(value)
        if self.kind == SCALE:
            return [*self.values[max(place - 1, 0) : place], *self.values[place + 1 : place + 2]]
        others = [*self.values[:place], *self.values[place + 1 :]]
        return [rng.choice(others)] if self.kind == SEEDS and others else others


@dataclass(frozen=True, slots=True)
class Space(Generic[C]):
    """A space of points, each of which represents a configuration.

    >>> plane = Space((Dimension("x", (1, 2, 3), SCALE), Dimension("y", ("a", "b"))), lambda p: (p["x"], p["y"]))
    >>> sorted(plane.neighbors((1, "a"), Random(1)))
    [(1, 'b'), (2, 'a')]
    """

    dimensions: tuple[Dimension, ...]
    to_configuration: Callable[[Mapping[str, Value]], C]

    def configuration(self, point: Point) -> C:
        """Return the configuration that a point represents."""
        return self.to_configuration(dict(zip([dimension.name for dimension in self.dimensions], point, strict=True)))

    def draw(self, rng: Random) -> Point:
        """Return a random point."""
        return tuple([rng.choice(dimension.values) for dimension in self.dimensions])

    def neighbors(self, point: Point, rng: Random) -> list[Point]:
        """Return the neighboring points that represent different configurations, in random order."""
        found: dict[C, Point] = {}
        for place, dimension in enumerate(self.dimensions):
            for value in dimension.next_to(point[place], rng):
                moved = (*point[:place], value, *point[place + 1 :])
                found.setdefault(self.configuration(moved), moved)
        found.pop(self.configuration(point), None)
        points = list(found.values())
        rng.shuffle(points)
        return points

    def crossed(self, one: Point, other: Point, rng: Random) -> Point:
        """Return a point that takes each value from one of two parents."""
        return tuple([rng.choice(pair) for pair in zip(one, other, strict=True)])

    def mutated(self, point: Point, rng: Random) -> Point:
        """Return a copy of the point in which, on average, one value is redrawn."""
        return tuple([
            rng.choice(dimension.values) if rng.random() < 1 / len(self.dimensions) else value
            for dimension, value in zip(self.dimensions, point, strict=True)
        ])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Configuration:
    """A value for `raddle run --noise` or `raddle explore --scheduler`, with its seed.

    >>> str(Configuration("scheduler", "pct:depth=3", 7))
    '--scheduler pct:depth=3 --seed 7'
    >>> str(Configuration("noise", "", None))
    'no noise'
    """

    option: str  # "noise" or "scheduler"
    value: str  # "" if the option is not given
    seed: int | None  # None if nothing is random

    @property
    def arguments(self) -> tuple[str, ...]:
        """The configuration as command-line arguments."""
        seed = () if self.seed is None else ("--seed", str(self.seed))
        return (f"--{self.option}", self.value, *seed) if self.value else seed

    def __str__(self) -> str:
        return shlex.join(self.arguments) or f"no {self.option}"


_SEEDS = Dimension("seed", tuple(range(1, MAX_SEEDS + 1)), SEEDS)

# Maps each scheduler to its parameter, if it has one, and to whether it uses a seed.
_SCHEDULERS: dict[str, tuple[str | None, bool]] = {
    "random": (None, True),
    "pct": ("depth", True),
    "pos": (None, True),
    "surw": (None, True),
    "round-robin": ("quantum", False),
    "exhaustive": ("preemptions", False),
}


def scheduler_space() -> Space[Configuration]:
    """Return the space of schedulers and their parameters, for scenarios.

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
    """Return the space of noise settings and seeds, for native runs. Strengths are in milliseconds.

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
    """Return the configuration without noise."""
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
