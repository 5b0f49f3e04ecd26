"""all-c-uses and all-p-uses: definitions that reach computations and conditions in one process."""

from __future__ import annotations

from collections.abc import Mapping

from raddle.criteria.structural import OUTCOME, PROCESS, VARIABLE_NAME, StructuralCriterion
from raddle.pcfg.elements import Element
from raddle.pcfg.matching import in_process
from raddle.requirement import SITE, Shape
from raddle.site import Site, where
from raddle.tally import Key


class AllComputationUses(StructuralCriterion):
    """A requirement is (definition, use, process, variable)."""

    name = "all-c-uses"
    element = Element.C_USES
    shape = Shape(SITE, SITE, PROCESS, VARIABLE_NAME)
    summary = "the process computes with a variable at one site that the definition at another site reaches"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        definition, use, process, variable = key
        return (
            f"{in_process(process)} computes with `{variable}` {where(use, sites)}, as defined "
            f"{where(definition, sites)}"
        )


class AllPredicateUses(StructuralCriterion):
    """A requirement is (definition, condition, outcome, process, variable)."""

    name = "all-p-uses"
    element = Element.P_USES
    shape = Shape(SITE, SITE, OUTCOME, PROCESS, VARIABLE_NAME)
    summary = "a condition that uses a variable, as the definition left it, has the outcome"

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        definition, use, outcome, process, variable = key
        return (
            f"the condition {where(use, sites)} is {outcome} in {in_process(process)}, with `{variable}` as defined "
            f"{where(definition, sites)}"
        )
