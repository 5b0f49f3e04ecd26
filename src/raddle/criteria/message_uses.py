"""all-s-uses, all-s-c-uses and all-s-p-uses: definitions that messages carry to other processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from raddle.criteria.structural import OUTCOME, PROCESS, VARIABLE_NAME, StructuralCriterion, sync_edge_clause
from raddle.pcfg.elements import Element
from raddle.requirement import SITE, Part, Shape
from raddle.site import Site, where
from raddle.tally import Key

_SENT: tuple[Part, ...] = (SITE, VARIABLE_NAME, SITE, PROCESS, SITE, PROCESS)


class MessageCriterion(StructuralCriterion):
    """A criterion whose keys begin with an s-use."""

    def crossings(self, key: Key) -> Iterable[tuple[int, int]]:
        return [(key[2], key[4])]


def s_use_clause(key: Key, sites: Mapping[int, Site]) -> str:
    """Return an s-use as a clause."""
    definition, variable, *edge = key
    return f"{sync_edge_clause(tuple(edge), sites)}, with `{variable}` as defined {where(definition, sites)}"


class AllMessageUses(MessageCriterion):
    """A requirement is (definition, variable, send, process, receive, process)."""

    name = "all-s-uses"
    element = Element.S_USES
    shape = Shape(*_SENT)
    summary = "a message delivers the variable, as the definition left it, to the receive"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        return s_use_clause(key, sites)


class AllMessageComputationUses(MessageCriterion):
    """A requirement is an s-use with the received variable and the site that computes with it."""

    name = "all-s-c-uses"
    element = Element.S_C_USES
    shape = Shape(*_SENT, VARIABLE_NAME, SITE)
    summary = "a message delivers the variable, and the receiver computes with what it received"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        *sent, variable, use = key
        return f"{s_use_clause(tuple(sent), sites)}, and `{variable}` is then used {where(use, sites)}"


class AllMessagePredicateUses(MessageCriterion):
    """A requirement is an s-use with the received variable, a condition that uses it, and its outcome."""

    name = "all-s-p-uses"
    element = Element.S_P_USES
    shape = Shape(*_SENT, VARIABLE_NAME, SITE, OUTCOME)
    summary = "a message delivers the variable, and a condition on what was received has the outcome"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        *sent, variable, use, outcome = key
        return (
            f"{s_use_clause(tuple(sent), sites)}, and the condition on `{variable}` {where(use, sites)} is then "
            f"{outcome}"
        )
