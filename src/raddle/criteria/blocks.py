"""Blocks: the basic blocks that were executed.

Křena, Letko and Vojnar use this sequential criterion as their baseline. Blocks have probes only if the code was
instrumented with `blocks=True`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from raddle.criteria.base import LINEAR, Criterion
from raddle.entities import Entities
from raddle.operation import BLOCK
from raddle.pruning_facts import PruningFacts
from raddle.requirement import SITE, Shape
from raddle.site import Site
from raddle.static_model import StaticModel
from raddle.step import Step
from raddle.tally import STATIC, Key, Total


class Blocks(Criterion):
    """A requirement is (site,).

    >>> from raddle.entities import make_entities
    >>> blocks = Blocks()
    >>> blocks.begin(make_entities())
    >>> blocks.feed([(0, "block", 0, 70001), (1, "block", 0, 70001), (1, "read", 0, 70002)])
    >>> blocks.collect(final=True)
    {(70001,)}
    """

    name = "blocks"
    by_order = True
    family = "sequential"
    paper = (
        "Křena, Letko, Vojnar: Coverage Metrics for Saturation-Based and Search-Based Testing of Concurrent Software"
    )
    shape = Shape(SITE)
    summary = "a thread runs the basic block that begins at the site"
    cost = LINEAR
    total_known = True

    def begin(self, entities: Entities) -> None:
        self._run: set[int] = set()
        self._reported: set[int] = set()

    def feed(self, steps: Iterable[Step]) -> None:
        self._run.update([site for _, kind, _, site in steps if kind == BLOCK])

    def collect(self, *, final: bool) -> set[Key]:
        fresh = self._run - self._reported
        self._reported |= fresh
        return {(site,) for site in fresh}

    def explain(self, key: Key, sites: Mapping[int, Site]) -> str:
        site = sites.get(key[0])
        if site is None:
            return "a thread runs a block of code without probes"
        return f"a thread runs the block of `{site.function}` that begins at {site.at}"

    def static_total(self, model: StaticModel) -> Total:
        return Total(len(model.blocks), STATIC)

    def requirements(self, model: StaticModel, facts: PruningFacts) -> Iterator[Key]:
        return ((site,) for site in sorted(model.blocks))
