"""Unambiguous sentences for requirements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from raddle.criteria.base import Criterion
from raddle.entities import AbstractVariable
from raddle.requirement import Role
from raddle.site import Site
from raddle.tally import Key


class Sentences:
    """Explains the requirements of one criterion.

    A sentence names a variable by its class. The class does not distinguish two requirements that differ only in the
    variable's object. In that case, each sentence also says where the object was created.
    """

    def __init__(self, criterion: Criterion, sites: Mapping[int, Site], among: Iterable[Key]) -> None:
        self._criterion = criterion
        self._sites = sites
        self._ambiguous = _ambiguous(criterion, among) if criterion.shape.can_name(Role.VARIABLE) else frozenset()

    def explain(self, key: Key) -> str:
        """Return the requirement as a clause (see `Criterion.explain`)."""
        clause = self._criterion.explain(key, self._sites)
        if not self._ambiguous:
            return clause
        variables = _variables(self._criterion, key)
        if _as_read(key, variables) not in self._ambiguous:
            return clause
        return f"{clause} ({' and '.join(dict.fromkeys(variable.owner_description for variable in variables))})"


def _ambiguous(criterion: Criterion, keys: Iterable[Key]) -> frozenset[Key]:
    """Return the keys that are no longer unique if each variable is replaced by the name that sentences use for it."""
    seen: set[Key] = set()
    repeated: set[Key] = set()
    for key in keys:
        as_read = _as_read(key, _variables(criterion, key))
        (repeated if as_read in seen else seen).add(as_read)
    return frozenset(repeated)


def _variables(criterion: Criterion, key: Key) -> list[AbstractVariable]:
    return [AbstractVariable(*variable) for variable in criterion.shape.find(key, Role.VARIABLE)]


def _as_read(value: Any, variables: list[AbstractVariable]) -> Any:
    if not isinstance(value, tuple):
        return value
    for variable in variables:
        if value == variable:
            return str(variable)
    return tuple([_as_read(one, variables) for one in value])
