"""MAP coverage compared with its definition: every subsequence of an execution is matched against every pattern."""

from __future__ import annotations

import random

from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.criteria.patterns import PATTERNS, identify
from raddle.entities import AbstractVariable, Entities
from raddle.pruning_facts import PruningFacts
from raddle.static_model import Accesses, StaticModel
from raddle.variable_scope import VariableScope


def all_patterns(steps, entities, scope=None):
    """Return the keys of all pattern occurrences (the paper's Algorithm 1).

    Any step may match the first part, any later step the next part, and so on.
    """
    keys = set()
    for number, pattern in PATTERNS.items():
        for chosen in occurrences(pattern.parts, steps, {}, {}):
            if scope is None or all(scope.has(entities.variables[step[2]].owner, step[3]) for step in chosen):
                x, y = names(pattern.parts, chosen, entities, scope)
                if y is not None:
                    found, x, y, sites = identify(number, x, y, tuple(site for _, _, _, site in chosen))
                    keys.add((found, *x, y[1] if y[0] in ("", x[0]) else f"{y[0]}.{y[1]}", *sites))
    return keys


def occurrences(parts, steps, threads, variables):
    """Yield every sequence of steps, in execution order, that matches the parts.

    `threads` binds the letters A and B, and `variables` binds x and y.
    """
    if not parts:
        yield ()
        return
    part = parts[0]
    for index, step in enumerate(steps):
        thread, kind, variable, _ = step
        if kind == part.kind and fits(threads, part.thread, thread) and fits(variables, part.variable, variable):
            bound = {**threads, part.thread: thread}, {**variables, part.variable: variable}
            for rest in occurrences(parts[1:], steps[index + 1 :], *bound):
                yield (step, *rest)


def fits(bound, letter, number):
    """Return whether `letter` can be bound to `number`. Different letters are bound to different numbers."""
    return bound[letter] == number if letter in bound else number not in bound.values()


def names(parts, steps, entities, scope):
    """Return the owners and names of x and y. Return None for y if the two variables do not form a pair.

    Variables of one object form a pair. In a scope, so do variables of different classes if at least one of the classes
    is dereferenced.
    """
    numbers = {part.variable: variable for part, (_, _, variable, _) in zip(parts, steps, strict=True)}
    x = entities.variables[numbers["x"]]
    if "y" not in numbers:
        return (x.owner, x.name), ("", "")
    y = entities.variables[numbers["y"]]
    pair = entities.groups[numbers["x"]] == entities.groups[numbers["y"]]
    if scope is not None and x.owner != y.owner:
        pair = pair or x.owner in scope.dereferenced or y.owner in scope.dereferenced
    return (x.owner, x.name), (y.owner, y.name) if pair and (x.owner, x.name) != (y.owner, y.name) else None


def random_entities(chance):
    """Return random entities, mostly the variables of one object.

    Sometimes two variables of one object have the same name, or there are two objects, of the same class or not. About
    a third of the variables are inherited. In each class, a name is either always or never inherited.
    """
    entities = Entities()
    objects = chance.choice((1, 1, 2))
    types = ["m.py:C", chance.choice(("m.py:C", "m.py:D"))]
    inherited = chance.choice(("", "", "x", "yz"))
    for index in range(chance.randint(1, 4)):
        name = chance.choice("xyz") if chance.random() < 0.2 else "xyzx"[index]
        group = chance.randint(1, objects)
        owner, kind = ("m.py:B", types[group - 1]) if name in inherited else (types[group - 1], "")
        entities.add_variable(AbstractVariable(owner, "", name, kind), group)
    return entities


def site(entities, kind, variable, index):
    owner, _, name, _ = entities.variables[variable]
    return 70000 + 1000 * "BCD".index(owner[-1]) + 100 * "xyz".index(name) + 10 * (kind == "write") + index


def random_steps(chance, entities, *, length, threads, sites):
    steps = []
    for _ in range(length):
        thread, kind = chance.randrange(threads), chance.choice(("read", "write"))
        variable = chance.randrange(len(entities.variables))
        steps.append((thread, kind, variable, site(entities, kind, variable, chance.randrange(sites))))
    return steps


def covered_in_two_batches(chance, criterion, entities, steps):
    criterion.begin(entities)
    cut = chance.randint(0, len(steps))
    criterion.feed(steps[:cut])
    first = criterion.collect(final=False)
    criterion.feed(steps[cut:])
    rest = criterion.collect(final=True)
    assert first.isdisjoint(rest)
    return first | rest


def test_the_criterion_agrees_with_the_definition():
    chance = random.Random(2019)
    criterion = MemoryAccessPatterns()
    lengths, mixed = [], 0
    for _ in range(4000):
        entities = random_entities(chance)
        size = {"length": chance.randint(2, 16), "threads": chance.randint(2, 4), "sites": chance.randint(1, 2)}
        steps = random_steps(chance, entities, **size)
        keys = covered_in_two_batches(chance, criterion, entities, steps)
        assert keys == all_patterns(steps, entities), steps
        assert criterion.cover(steps, entities) == keys, steps  # by the automaton
        lengths += [len(key) for key in keys]
        mixed += sum("m.py" in key[3] for key in keys)
    assert lengths.count(8) > 500  # the sample contains patterns with two variables
    assert mixed > 300  # and patterns with an own and an inherited variable


def test_the_criterion_with_a_scope_agrees_with_the_definition():
    chance = random.Random(246)
    even = frozenset(site for site in range(70000, 73000) if site % 2 == 0)
    every = frozenset(range(70000, 73000))
    across = 0
    for _ in range(3000):
        scope = VariableScope(
            own=frozenset({"m.py:B", "m.py:C"}),
            dereferenced=frozenset(chance.choice(([], ["m.py:D"], ["m.py:D"]))),
            sites=chance.choice((even, every, every)),
        )
        criterion = MemoryAccessPatterns(scope)
        entities = random_entities(chance)
        steps = random_steps(chance, entities, length=chance.randint(8, 16), threads=2, sites=2)
        keys = all_patterns(steps, entities, scope)
        assert covered_in_two_batches(chance, criterion, entities, steps) == keys, (scope, steps)
        assert criterion.cover(steps, entities) == keys, (scope, steps)  # by the automaton
        across += sum("m.py:D" in key[3] for key in keys)
        assert keys <= set(criterion.requirements(whole_model(entities, 2), PruningFacts()))
    assert across > 100  # the sample contains patterns across objects


def test_the_end_of_a_thread_does_not_affect_coverage():
    chance = random.Random(11)
    for _ in range(300):
        entities = random_entities(chance)
        steps = random_steps(chance, entities, length=12, threads=4, sites=1)
        last = {thread: index for index, (thread, _, _, _) in enumerate(steps)}
        with_ends = []
        for index, step in enumerate(steps):
            with_ends.append(step)
            if last[step[0]] == index:
                with_ends.append((step[0], "end", step[0], 0))
        assert covered_in_two_batches(chance, MemoryAccessPatterns(), entities, with_ends) == all_patterns(
            steps, entities
        )


def test_covered_keys_are_among_the_requirements():
    """Long executions with few sites cover nearly all requirements. Every covered key must be a requirement."""
    chance = random.Random(3)
    full = 0
    for _ in range(40):
        entities = random_entities(chance)
        sites = chance.randint(1, 2)
        model = whole_model(entities, sites)
        criterion = MemoryAccessPatterns()
        steps = random_steps(chance, entities, length=chance.choice((50, 2000)), threads=3, sites=sites)
        keys = covered_in_two_batches(chance, criterion, entities, steps)
        requirements = set(criterion.requirements(model, PruningFacts()))
        assert len(requirements) == criterion.static_total(model).number
        assert keys <= requirements
        full += keys == requirements
    assert full  # some executions cover all requirements, so the total is not too large


def whole_model(entities, sites):
    variables = {}
    for number, variable in enumerate(entities.variables):
        reads, writes = (
            frozenset(site(entities, kind, number, index) for index in range(sites)) for kind in ("read", "write")
        )
        variables[variable.owner, variable.name] = Accesses(reads, writes)
    bases = {variable.object_type: frozenset({variable.owner}) for variable in entities.variables if variable.type}
    return StaticModel(variables, bases=bases)
