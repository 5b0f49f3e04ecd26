"""Definition-use pairs: a read and the write whose value it gets.

A pair is covered when a thread reads a shared variable at the second site and the last write to it, by the same or
another thread, was at the first site. A variable that no thread has written yet has no definition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from raddle.criteria.actors import ActorNames
from raddle.criteria.variable_metrics import (
    Group,
    VariableMetric,
    describe_access,
    describe_repeated_access,
    describe_thread,
)
from raddle.entities import Entities
from raddle.operation import ACTOR_CHANGES, READ, WRITE
from raddle.requirement import SITE, THREAD, VARIABLE, Shape
from raddle.site import Site
from raddle.step import Step
from raddle.tally import Key


class DefinitionUsePairs(VariableMetric):
    """A requirement is (definition, use, variable)."""

    name = "du-pairs"
    by_order = True
    shape = Shape(SITE, SITE, VARIABLE)
    summary = "a thread reads, at the second site, the value that was written to a shared variable at the first"

    def begin(self, entities: Entities) -> None:
        super().begin(entities)
        self._definitions: dict[int, tuple[int, int]] = {}  # site and actor of the last write to each variable

    def feed(self, steps: Iterable[Step]) -> None:
        actors, about, definitions, starred = self._actors, self._noted.about, self._definitions, self.starred
        for thread, kind, target, site in steps:
            if kind == READ:
                notes = about(target, thread)
                definition = definitions.get(target)
                if definition is not None:
                    written_at, definer = definition
                    notes[(target, definer, actors[thread]) if starred else (target,)].add((written_at, site))
            elif kind == WRITE:
                about(target, thread)
                definitions[target] = (site, actors[thread])
            elif kind in ACTOR_CHANGES:
                actors.turn(thread, target)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        super().forget(variables, resources)
        for variable in variables:
            self._definitions.pop(variable, None)

    def _named(self, group: Group, names: ActorNames) -> Key:
        return (self._entities.variables[group[0]],)

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return _clause(sites, key, "a thread", "the same or another thread")


class DefinitionUsePairsByThread(DefinitionUsePairs):
    """A requirement is (definition, use, variable, defining thread, using thread)."""

    name = "du-pairs*"
    shape = Shape(SITE, SITE, VARIABLE, THREAD, THREAD)
    summary = "a requirement of `du-pairs` is covered, with the first thread writing and the second thread reading"
    starred = True

    def _named(self, group: Group, names: ActorNames) -> Key:
        variable, definer, user = group
        return self._entities.variables[variable], names[definer], names[user]

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        definer, user = key[3:]
        other = "A, or another thread of the same kind," if definer == user else describe_thread("B", user)
        return _clause(sites, key, describe_thread("A", definer), other)


def _clause(sites: Mapping[int, Site], key: Key, definer: str, user: str) -> str:
    definition, use, variable = key[:3]
    writes = describe_access(definition, sites, variable=variable)
    return f"{definer} {writes} and then {user} {describe_repeated_access(use, sites)}, with no write in between"
