"""Fitness of a configuration: a weighted sum of the numbers of requirements that its executions covered."""

from __future__ import annotations

import re
from dataclasses import dataclass

from raddle.criteria import resolve
from raddle.errors import UsageError
from raddle.tally import Tally

_TERM = re.compile(r"(?:(?P<weight>[0-9.]+)\s*\*\s*)?(?P<name>[A-Za-z][A-Za-z-]*\*?)")


@dataclass(frozen=True, slots=True)
class Fitness:
    """Criteria with their weights.

    A star after a number means multiplication. A star after a name is part of the criterion's name.

    >>> fitness = Fitness.parse("map + 2*hbpair*")
    >>> fitness.weights, str(fitness)
    ((('map', 1.0), ('hbpair*', 2.0)), 'map + 2*hbpair*')
    >>> tally = Tally()
    >>> tally.add(1, "map", [(1,), (2,), (3,)])
    >>> tally.add(1, "hbpair*", [(4, 5)])
    >>> fitness.of(tally)
    5.0
    """

    weights: tuple[tuple[str, float], ...]

    @classmethod
    def parse(cls, text: str) -> Fitness:
        """Parse a fitness such as `map+2*hbpair*`.

        The weight of a group name such as `default` applies to each criterion of the group.
        """
        weights: dict[str, float] = {}
        for part in text.split("+"):
            term = _TERM.fullmatch(part.strip())
            if term is None:
                raise UsageError(
                    "bad-fitness",
                    f"{part.strip()!r} in the fitness {text!r} is neither a criterion nor a weighted criterion: write "
                    "criteria separated by +, for example map+2*hbpair*",
                )
            for name in resolve(term["name"]):
                weights[name] = weights.get(name, 0.0) + _weight(term["weight"], text)
        return cls(tuple(weights.items()))

    @property
    def criteria(self) -> tuple[str, ...]:
        """The names of the weighted criteria."""
        return tuple(name for name, _ in self.weights)

    def of(self, tally: Tally) -> float:
        """Return the fitness of executions with this coverage."""
        counts = tally.counts()
        return sum(weight * counts.get(name, 0) for name, weight in self.weights)

    def __str__(self) -> str:
        return " + ".join(name if weight == 1 else f"{weight:g}*{name}" for name, weight in self.weights)


def _weight(text: str | None, whole: str) -> float:
    try:
        weight = 1.0 if text is None else float(text)
    except ValueError:
        raise UsageError("bad-fitness", f"{text!r} in the fitness {whole!r} is not a number") from None
    if not 0 < weight < float("inf"):
        raise UsageError("bad-fitness", f"a weight in the fitness {whole!r} must be more than 0, not {text}")
    return weight
