"""The automaton for short executions finds the same patterns as the algorithm for long executions."""

import random

import pytest

from raddle.criteria import automaton
from raddle.criteria.automaton import Automata
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.entities import AbstractVariable, Entities


def make(seed):
    """Return a random execution of 2 or 3 threads on one or two objects with up to two variables each."""
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


def by_general_algorithm(steps, entities):
    criterion = MemoryAccessPatterns()
    criterion.begin(entities)
    criterion.feed(steps)
    return criterion.collect(final=True)


def test_the_automaton_and_the_general_algorithm_agree():
    criterion = MemoryAccessPatterns()  # shared by all executions, because it caches its states
    for seed in range(3000):
        steps, entities = make(seed)
        assert criterion.cover(steps, entities) == by_general_algorithm(steps, entities), (seed, steps)


@pytest.mark.parametrize("limit", ["MAX_LETTERS", "MAX_STATES"])
def test_executions_beyond_the_limits_fall_back_to_the_general_algorithm(monkeypatch, limit):
    monkeypatch.setattr(automaton, limit, 2)
    criterion = MemoryAccessPatterns()
    fallbacks = 0
    for seed in range(300):
        steps, entities = make(seed)
        fallbacks += len(Automata().run(steps, entities)[1])
        assert criterion.cover(steps, entities) == by_general_algorithm(steps, entities), (seed, steps)
    assert fallbacks > 100


def test_two_variables_with_the_same_name_are_distinguished():
    # The object's container is replaced, so the object has two variables called `items[]` in succession.
    entities = Entities()
    old, new = (entities.add_variable(AbstractVariable("m.py:C", "", "items[]"), 1) for _ in range(2))
    steps = ((1, "write", old, 70_001), (2, "read", new, 70_002))
    assert MemoryAccessPatterns().cover(steps, entities) == set()
