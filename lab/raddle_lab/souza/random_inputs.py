"""Random inputs of the nine programs, from their input domains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

Arguments = tuple[str, ...]


def _numbers(random: Random, count: int, low: int, high: int) -> list[int]:
    return [random.randint(low, high) for _ in range(count)]


_DOMAINS: Mapping[str, Callable[[Random], list[object]]] = {
    "sieve": lambda random: [*_numbers(random, 1, 1, 60)],
    "gcd": lambda random: [*_numbers(random, 3, 1, 30)],
    "mmult": lambda random: [random.randint(2, 8), random.randint(1, 3)],
    "philosophers": lambda random: [],
    "pairwise": lambda random: [*_numbers(random, 8, -9, 9)],
    "reduction": lambda random: [random.choice(("sum", "prod", "max", "min")), *_numbers(random, 6, -9, 9)],
    "qsort": lambda random: [*_numbers(random, random.randint(0, 16), -99, 99)],
    "jacobi": lambda random: [random.randint(6, 12), random.choice((1000, 0.1, 0.00001)), random.randint(1, 99)],
    "vanderwaals": lambda random: [random.randint(1, 99), random.randint(1, 3)],
}


def random_inputs(program: str, count: int, *, seed: int) -> list[Arguments]:
    """Return random inputs of a program. Some may be equal.

    >>> random_inputs("philosophers", 2, seed=1)
    [(), ()]
    """
    random = Random(f"{program} {seed}")
    return [tuple(map(str, _DOMAINS[program](random))) for _ in range(count)]
