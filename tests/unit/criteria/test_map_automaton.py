"""Short executions are looked at by an automaton; it must find what the algorithm for long ones finds."""

import random

import pytest

from raddle.criteria import automaton
from raddle.criteria.automaton import Automata
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.entities import AbstractVariable, Entities


def make(seed):
    """An execution of 2 or 3 threads on one or two objects of up to two variables."""
    chance = random.Random(seed)
    entities = Entities()
    variables = []
    for group in range(chance.choice((1, 1, 2))):
        names = "xy"[: chance.choice((1, 2, 2))]
        variables += [entities.add_variable(AbstractVariable("m.py:C", "", name), group + 1) for name in names]
    threads = chance.choice((2, 2, 3))
    steps = []
    for _ in range(chance.randrange(2, 14)):
        kind = chance.choice(("read", "write"))
        target = chance.choice(variables)
        site = 70_000 + 10 * target + chance.randrange(2) + 5 * (kind == "write")
        steps.append((chance.randrange(threads) + 1, kind, target, site))
    return tuple(steps), entities


def slowly(steps, entities):
    criterion = MemoryAccessPatterns()
    criterion.begin(entities)
    criterion.feed(steps)
    return criterion.collect(final=True)


def test_both_ways_find_the_same():
    criterion = MemoryAccessPatterns()  # one for all, as its states are kept from one execution to the next
    for seed in range(3000):
        steps, entities = make(seed)
        assert criterion.cover(steps, entities) == slowly(steps, entities), (seed, steps)


@pytest.mark.parametrize("limit", ["MAX_LETTERS", "MAX_STATES"])
def test_what_is_too_much_is_left_to_the_other_way(monkeypatch, limit):
    monkeypatch.setattr(automaton, limit, 2)
    criterion = MemoryAccessPatterns()
    left = 0
    for seed in range(300):
        steps, entities = make(seed)
        left += len(Automata().run(steps, entities)[1])
        assert criterion.cover(steps, entities) == slowly(steps, entities), (seed, steps)
    assert left > 100


def test_two_variables_of_one_name_stay_two():
    # A container that is replaced: the object has two variables called items[], one after the other.
    entities = Entities()
    one, other = (entities.add_variable(AbstractVariable("m.py:C", "", "items[]"), 1) for _ in range(2))
    steps = ((1, "write", one, 70_001), (2, "read", other, 70_002))
    assert MemoryAccessPatterns().cover(steps, entities) == set()
