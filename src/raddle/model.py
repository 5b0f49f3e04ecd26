"""The static model: which sites can touch which variables, which methods and blocks there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Accesses:
    """The sites that can touch one variable."""

    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    guessed: frozenset[int] = frozenset()  # those of them whose receiver's class is a guess

    def __add__(self, other: Accesses) -> Accesses:
        known = (self.reads | self.writes) - self.guessed | (other.reads | other.writes) - other.guessed
        guessed = (self.guessed | other.guessed) - known
        return Accesses(self.reads | other.reads, self.writes | other.writes, guessed)


VariableName = tuple[str, str]  # owner and name, as in `AbstractVariable`


@dataclass(frozen=True, slots=True)
class Model:
    """What the source says, and what executions added to it.

    >>> one = Model({("m.py:C", "x"): Accesses(reads=frozenset({1}))})
    >>> two = Model({("m.py:C", "x"): Accesses(writes=frozenset({2}))})
    >>> (one + two).variables["m.py:C", "x"]
    Accesses(reads=frozenset({1}), writes=frozenset({2}), guessed=frozenset())
    """

    variables: Mapping[VariableName, Accesses] = field(default_factory=dict)
    methods: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # class -> public method -> enter site
    blocks: frozenset[int] = frozenset()

    def __add__(self, other: Model) -> Model:
        variables = dict(self.variables)
        for name, accesses in other.variables.items():
            variables[name] = variables[name] + accesses if name in variables else accesses
        return Model(variables, {**self.methods, **other.methods}, self.blocks | other.blocks)
