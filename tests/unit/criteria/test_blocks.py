"""The `blocks` criterion, whose requirements are basic blocks."""

from __future__ import annotations

import random

from raddle.criteria import make_criteria
from raddle.criteria.blocks import Blocks
from raddle.entities import make_entities
from raddle.pruning_facts import PruningFacts
from raddle.site import Site
from raddle.static_model import StaticModel
from raddle.step import Step

# Blocks begin at sites 70001, 70002 and 70003.
MODEL = StaticModel(blocks=frozenset({70003, 70001, 70002}))


def test_a_block_is_covered_no_matter_which_thread_runs_it() -> None:
    criterion = Blocks()
    criterion.begin(make_entities())
    criterion.feed([(0, "block", 0, 70001), (1, "block", 0, 70003), (1, "enter", 0, 70002)])
    assert criterion.collect(final=True) == {(70001,), (70003,)}


def test_a_block_is_collected_once_in_each_execution() -> None:
    criterion = Blocks()
    for _ in range(2):
        criterion.begin(make_entities())
        criterion.feed([(0, "block", 0, 70001)])
        assert criterion.collect(final=False) == {(70001,)}
        criterion.feed([(0, "block", 0, 70001), (0, "block", 0, 70002)])
        assert criterion.collect(final=True) == {(70002,)}


def test_the_total_is_the_number_of_blocks() -> None:
    criterion = Blocks()
    assert str(criterion.total(MODEL, PruningFacts())) == "3 (static)"
    assert list(criterion.requirements(MODEL, PruningFacts())) == [(70001,), (70002,), (70003,)]
    assert str(criterion.total(StaticModel(), PruningFacts())) == "nothing to cover"


def test_explain_names_the_function_and_line_of_the_block() -> None:
    (criterion,) = make_criteria("blocks")
    sites = {70001: Site("shop/cart.py", 9, 8, "block", "", "Cart.add", switchable=False)}
    assert criterion.explain((70001,), sites) == "a thread runs the block of `Cart.add` that begins at shop/cart.py:9"
    assert criterion.explain((0,), sites) == "a thread runs a block of code without probes"
    assert criterion.home((70001,)) == 70001


def test_random_traces_cover_exactly_the_sites_of_their_block_steps() -> None:
    rng = random.Random(5)
    criterion = Blocks()
    for _ in range(500):
        steps: list[Step] = [
            (rng.randrange(3), rng.choice(["block", "read", "enter"]), rng.randrange(2), 70000 + rng.randrange(9))
            for _ in range(rng.randrange(30))
        ]
        criterion.begin(make_entities())
        criterion.feed(steps)
        assert criterion.collect(final=True) == {(site,) for _, kind, _, site in steps if kind == "block"}
