"""The effects of methods: which variables their calls read and write, as far as executions have shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from raddle.generation.footprint import Variable
from raddle.generation.strategy import Observed
from raddle.operation import ACCESSES, GIVES, LOCKING, READ, TAKES

RUNS = 3  # calls of a method that show its effects
MAX_FAILURES = 20  # calls that raise exceptions, or do not end, after which a method is no longer tried


@dataclass(slots=True)
class Effects:
    """What the calls of one method have done when they ran alone.

    >>> effects = Effects(runs=1)
    >>> effects.is_known, effects.is_usable
    (False, True)
    """

    reads: set[Variable] = field(default_factory=set)
    writes: set[Variable] = field(default_factory=set)
    runs: int = 0  # calls that returned
    failures: int = 0  # calls that did not
    waits: bool = False  # whether a call used primitives other than locks, so that another call might block

    @property
    def is_known(self) -> bool:
        """Whether more runs would hardly show more."""
        return self.runs >= RUNS or self.failures >= MAX_FAILURES

    @property
    def is_usable(self) -> bool:
        """Whether calls return, and do not wait for other calls."""
        return self.runs > 0 and not self.waits

    @property
    def shown(self) -> set[Variable]:
        """The variables that a call shows without changing them."""
        return self.reads - self.writes

    def restart(self) -> None:
        """Take one more call into account, and further ones if calls have failed."""
        self.runs, self.failures = min(self.runs, RUNS - 1), 0

    def add(self, observed: Observed | None) -> bool:
        """Add a call; None if it did not return. Return whether it read or wrote other variables than the former ones.

        >>> from raddle.entities import AbstractVariable, make_entities
        >>> entities = make_entities(variables=[AbstractVariable("m.py:C", "", "n")])
        >>> effects = Effects()
        >>> effects.add(([(1, "read", 0, 70004)], entities)), effects.shown
        (True, {('m.py:C', '', 'n')})
        """
        if observed is None:
            self.failures += 1
            return False
        before = len(self.reads), len(self.writes), self.waits, self.is_usable
        self.runs += 1
        steps, entities = observed
        for _, kind, target, _ in steps:
            if kind in ACCESSES:
                named = entities.variables[target]
                variable = named.owner, named.created, named.name
                (self.reads if kind == READ else self.writes).add(variable)
            elif kind not in LOCKING and (kind in GIVES or kind in TAKES):
                self.waits = True
        return before != (len(self.reads), len(self.writes), self.waits, self.is_usable)
