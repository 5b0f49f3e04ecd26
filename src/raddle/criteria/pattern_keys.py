"""The keys of MAP-coverage: (pattern, owner, x, y, site, ...).

`owner` is the class, module or function that declares x. If another class declares y, because an object has inherited
one of its two variables, y contains the name of that class: "log.py:Appender.th".
"""

from __future__ import annotations

from typing import NamedTuple

from raddle.criteria.patterns import PATTERNS
from raddle.static_model import VariableName, relative_name, variable_named
from raddle.tally import Key

NO_VARIABLE = ("", "")  # in place of y if the pattern is about one variable


class PatternKey(NamedTuple):
    """The parts of a key."""

    number: int  # number of the pattern
    x: VariableName
    y: VariableName  # NO_VARIABLE if the pattern is about one variable
    sites: tuple[int, ...]

    @property
    def owners(self) -> frozenset[str]:
        """The owners of the variables."""
        return frozenset({self.x[0], self.y[0]} if self.y != NO_VARIABLE else {self.x[0]})

    @property
    def step_variables(self) -> list[VariableName]:
        """The variable that each step accesses."""
        return [self.x if part.variable == "x" else self.y for part in PATTERNS[self.number].parts]


def key_head(number: int, x: VariableName, y: VariableName = NO_VARIABLE) -> tuple[int, str, str, str]:
    """Return the beginning of a key, to which the sites are added.

    >>> key_head(4, ("log.py:Log", "th"))
    (4, 'log.py:Log', 'th', '')
    >>> key_head(9, ("log.py:File", "path"), ("log.py:Log", "th"))
    (9, 'log.py:File', 'path', 'log.py:Log.th')
    """
    return number, x[0], x[1], "" if y == NO_VARIABLE else relative_name(y, x[0])


def parse_key(key: Key) -> PatternKey:
    """Return the parts of a key.

    >>> parse_key((9, "log.py:File", "path", "log.py:Log.th", 70001, 70002, 70003, 70004)).y
    ('log.py:Log', 'th')
    """
    number, owner, x, y, *sites = key
    return PatternKey(number, (owner, x), variable_named(y, owner) if y else NO_VARIABLE, tuple(sites))
