"""A copy of the module `random` that gives each rank a generator of its own."""

from __future__ import annotations

import random
import types
from collections.abc import Callable
from typing import Any

_FUNCTIONS = tuple(
    name for name, value in vars(random).items() if isinstance(getattr(value, "__self__", None), random.Random)
)


class RankRandom(random.Random):
    """A generator that passes every call on to the generator of the running rank.

    The generators are created on first use, because most programs draw no random numbers.
    """

    def __init__(self, running: Callable[[], int], seed: int) -> None:
        self._running = running
        self._seed = seed
        self._generators: dict[int, random.Random] = {}
        super().__init__()  # which seeds the generator
        self._generators.clear()
        self.is_used = False  # whether a rank has drawn a number, in any execution

    def begin(self) -> None:
        """Begin an execution: all ranks start with new generators."""
        self.is_used = self.is_used or bool(self._generators)
        self._generators.clear()

    @property
    def _generator(self) -> random.Random:
        rank = self._running()
        generator = self._generators.get(rank)
        if generator is None:
            generator = self._generators[rank] = random.Random(f"{self._seed}/{rank}")
        return generator

    def random(self) -> float:
        """Return the next number of the running rank."""
        return self._generator.random()

    def getrandbits(self, k: int) -> int:
        """Return an integer with k random bits."""
        return self._generator.getrandbits(k)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Seed the generator of the running rank."""
        if hasattr(self, "_generators"):  # `Random.__init__` calls this method
            self._generator.seed(a, version)

    def getstate(self) -> Any:
        """Return the state of the running rank's generator."""
        return self._generator.getstate()

    def setstate(self, state: Any) -> None:
        """Set the state of the running rank's generator."""
        self._generator.setstate(state)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        """Return a number with a normal distribution; the generator keeps every second one for the next call."""
        return self._generator.gauss(mu, sigma)


def random_module(generator: RankRandom) -> types.ModuleType:
    """Return a copy of the module `random` whose functions use this generator."""
    module = types.ModuleType("random", random.__doc__)
    vars(module).update(vars(random))
    vars(module).update({name: getattr(generator, name) for name in _FUNCTIONS}, _inst=generator)
    return module
