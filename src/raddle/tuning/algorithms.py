"""Search algorithms: each proposes points of a space, is told how good each was, and proposes on for ever.

They are generators: a point goes out, its fitness comes in. So they know nothing of executions, and whoever asks
decides when it is enough. SearchBestie has random search, hill climbing and a genetic algorithm too; here hill
climbing takes the first better neighbour, not the best of all, as an evaluation costs several executions, and
begins anew elsewhere where no neighbour is better.
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

POPULATION = 10
ELITE = 2  # of a population that live on as they are
RIVALS = 2  # of which the better one becomes a parent


def random_search(space: Space[C], chance: Random) -> Proposals:
    """Any point, whatever came before.

    >>> from raddle.tuning.configurations import Dimension
    >>> next(random_search(Space((Dimension("x", (4,)),), lambda point: point["x"]), Random(1)))
    (4,)
    """
    while True:
        yield space.draw(chance)


def hill_climbing(space: Space[C], chance: Random) -> Proposals:
    """From a point to the first better neighbour, until there is none; then from another point.

    >>> from raddle.tuning.configurations import SCALE, Dimension
    >>> climb = hill_climbing(Space((Dimension("x", (4, 5), SCALE),), lambda point: point["x"]), Random(1))
    >>> first = next(climb)
    >>> sorted([first, climb.send(0.0)])
    [(4,), (5,)]
    """
    while True:
        here = space.draw(chance)
        height = yield here
        ascends = True
        while ascends:
            ascends = False
            for neighbour in space.neighbours(here, chance):
                found = yield neighbour
                if found > height:
                    here, height, ascends = neighbour, found, True
                    break


def genetic(space: Space[C], chance: Random) -> Proposals:
    """Generations: the best live on, the rest are children of the better ones, mixed and changed a little.

    >>> from raddle.tuning.configurations import Dimension
    >>> next(genetic(Space((Dimension("x", (4,)),), lambda point: point["x"]), Random(1)))
    (4,)
    """
    population: list[Rated] = []
    while len(population) < POPULATION:
        point = space.draw(chance)
        population.append(((yield point), point))
    while True:
        kept = best_of(population, ELITE)
        children: list[Rated] = []
        while len(kept) + len(children) < POPULATION:
            child = space.crossed(_parent(population, chance), _parent(population, chance), chance)
            child = space.mutated(child, chance)
            children.append(((yield child), child))
        population = [*kept, *children]


def best_of(population: Sequence[Rated], number: int) -> list[Rated]:
    """The fittest; of those that are equally fit, the older ones.

    >>> best_of([(1.0, ("a",)), (3.0, ("b",)), (3.0, ("c",)), (2.0, ("d",))], 2)
    [(3.0, ('b',)), (3.0, ('c',))]
    """
    return sorted(population, key=lambda rated: -rated[0])[:number]


def _parent(population: Sequence[Rated], chance: Random) -> Point:
    rivals = [chance.choice(population) for _ in range(RIVALS)]
    return best_of(rivals, 1)[0][1]


ALGORITHMS: dict[str, Algorithm] = {
    "random": random_search,
    "hill-climbing": hill_climbing,
    "genetic": genetic,
}
