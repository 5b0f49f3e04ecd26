"""Search algorithms: each proposes an endless series of points and receives the fitness of each point.

The algorithms are generators that yield a point and are sent its fitness. So they know nothing about executions, and
the caller decides when to stop. SearchBestie also has random search, hill climbing and a genetic algorithm. Here, hill
climbing moves to the first better neighbor instead of the best neighbor, because each evaluation takes several
executions. If no neighbor is better, it restarts at a random point.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from random import Random
from typing import Any, TypeVar

from raddle.tuning.configurations import Point, Space

C = TypeVar("C", bound=Hashable)

Proposals = Generator[Point, float, None]
Algorithm = Callable[[Space[Any], Random], Proposals]
Rated = tuple[float, Point]

POPULATION = 10  # number of points per generation
ELITE = 2  # number of best points of a generation that survive unchanged
TOURNAMENT_SIZE = 2  # number of points drawn for each parent; the best of these becomes the parent


def random_search(space: Space[C], rng: Random) -> Proposals:
    """Propose random points, independently of earlier points.

    >>> from raddle.tuning.configurations import Dimension
    >>> next(random_search(Space((Dimension("x", (4,)),), lambda point: point["x"]), Random(1)))
    (4,)
    """
    while True:
        yield space.draw(rng)


def hill_climbing(space: Space[C], rng: Random) -> Proposals:
    """Move to the first better neighbor until there is none; then restart at another point.

    >>> from raddle.tuning.configurations import SCALE, Dimension
    >>> climb = hill_climbing(Space((Dimension("x", (4, 5), SCALE),), lambda point: point["x"]), Random(1))
    >>> first = next(climb)
    >>> sorted([first, climb.send(0.0)])
    [(4,), (5,)]
    """
    while True:
        here = space.draw(rng)
        height = yield here
        ascends = True
        while ascends:
            ascends = False
            for neighbor in space.neighbors(here, rng):
                found = yield neighbor
                if found > height:
                    here, height, ascends = neighbor, found, True
                    break


def genetic(space: Space[C], rng: Random) -> Proposals:
    """Evolve generations: the best points survive, and crossing and mutating good parents yields the others.

    >>> from raddle.tuning.configurations import Dimension
    >>> next(genetic(Space((Dimension("x", (4,)),), lambda point: point["x"]), Random(1)))
    (4,)
    """
    population: list[Rated] = []
    while len(population) < POPULATION:
        point = space.draw(rng)
        population.append(((yield point), point))
    while True:
        kept = best_of(population, ELITE)
        children: list[Rated] = []
        while len(kept) + len(children) < POPULATION:
            child = space.crossed(_parent(population, rng), _parent(population, rng), rng)
            child = space.mutated(child, rng)
            children.append(((yield child), child))
        population = [*kept, *children]


def best_of(population: Sequence[Rated], number: int) -> list[Rated]:
    """Return the `number` fittest points; among equally fit points, older points come first.

    >>> best_of([(1.0, ("a",)), (3.0, ("b",)), (3.0, ("c",)), (2.0, ("d",))], 2)
    [(3.0, ('b',)), (3.0, ('c',))]
    """
    return sorted(population, key=lambda rated: -rated[0])[:number]


def _parent(population: Sequence[Rated], rng: Random) -> Point:
    drawn = [rng.choice(population) for _ in range(TOURNAMENT_SIZE)]
    return best_of(drawn, 1)[0][1]


ALGORITHMS: dict[str, Algorithm] = {
    "random": random_search,
    "hill-climbing": hill_climbing,
    "genetic": genetic,
}
