"""Values of arguments that were collected while the tests of a project ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from raddle.generation.expression_json import from_json, to_json
from raddle.generation.expressions import Expression

MAX_VALUES = 8  # values per parameter


@dataclass(frozen=True, slots=True)
class LearnedValues:
    """The values of each parameter, most frequent first, by the name of the method and of the parameter.

    The constructor has the name "".

    >>> from raddle.generation.expressions import Literal
    >>> learned = LearnedValues({("get", "key"): (Literal("a"),)})
    >>> LearnedValues.from_json(learned.to_json()) == learned
    True
    """

    values: Mapping[tuple[str, str], tuple[Expression, ...]] = field(default_factory=dict)

    def of(self, method: str, parameter: str) -> tuple[Expression, ...]:
        """Return the values of a parameter."""
        return self.values.get((method, parameter), ())

    @property
    def count(self) -> int:
        """The number of values of all parameters together."""
        return sum(map(len, self.values.values()))

    def to_json(self) -> list[Any]:
        """Return the values as lists and strings."""
        return [
            [method, parameter, list(map(to_json, expressions))]
            for (method, parameter), expressions in sorted(self.values.items())
        ]

    @classmethod
    def from_json(cls, data: list[Any]) -> LearnedValues:
        """Return the values that `to_json` has stored."""
        return cls({
            (method, parameter): tuple(map(from_json, expressions[:MAX_VALUES]))
            for method, parameter, expressions in data
        })  # fmt: skip
