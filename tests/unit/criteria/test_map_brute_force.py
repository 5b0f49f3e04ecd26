"""MAP-coverage against its definition: every subsequence of an execution is compared with every pattern."""

from __future__ import annotations

import random

from raddle.cast import AbstractVariable, Cast
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.criteria.patterns import PATTERNS, identify
from raddle.facts import Facts
from raddle.model import Accesses, Model


def all_patterns(steps, cast):
    """Algorithm 1 for all patterns: any step for the first part, any later one for the next, and so on."""
    keys = set()
    for number, pattern in PATTERNS.items():
        for chosen in occurrences(pattern.parts, steps, {}, {}):
            owner, x, y = names(pattern.parts, chosen, cast)
            if y is not None:
                found, x, y, sites = identify(number, x, y, tuple(site for _, _, _, site in chosen))
                keys.add((found, owner, x, y, *sites))
    return keys


def occurrences(parts, steps, threads, variables):
    """Every way to match the parts with steps in their order; `threads` and `variables` say who is A, B, x and y."""
    if not parts:
        yield ()
        return
    part = parts[0]
    for index, step in enumerate(steps):
        thread, kind, variable, _ = step
        if kind == part.kind and fits(threads, part.thread, thread) and fits(variables, part.variable, variable):
            known = {**threads, part.thread: thread}, {**variables, part.variable: variable}
            for rest in occurrences(parts[1:], steps[index + 1 :], *known):
                yield (step, *rest)


def fits(known, letter, number):
    """The same letter means the same one, different letters different ones."""
    return known[letter] == number if letter in known else number not in known.values()


def names(parts, steps, cast):
    """The owner and the names of x and y; y is None if these make no pair."""
    numbers = {part.variable: variable for part, (_, _, variable, _) in zip(parts, steps, strict=True)}
    x = cast.variables[numbers["x"]]
    if "y" not in numbers:
        return x.owner, x.name, ""
    y = cast.variables[numbers["y"]]
    pair = cast.groups[numbers["x"]] == cast.groups[numbers["y"]] and x.name != y.name
    return x.owner, x.name, y.name if pair else None


def random_cast(chance):
    """Mostly one object; now and then a name is that of two variables of one object, or there are two objects."""
    cast = Cast()
    objects = chance.choice((1, 1, 2))
    for index in range(chance.randint(1, 4)):
        name = chance.choice("xyz") if chance.random() < 0.2 else "xyzx"[index]
        cast.add_variable(AbstractVariable("m.py:C", "", name), chance.randint(1, objects))
    return cast


def site(cast, kind, variable, index):
    return 70000 + 100 * "xyz".index(cast.variables[variable].name) + 10 * (kind == "write") + index


def random_steps(chance, cast, *, length, threads, sites):
    steps = []
    for _ in range(length):
        thread, kind = chance.randrange(threads), chance.choice(("read", "write"))
        variable = chance.randrange(len(cast.variables))
        steps.append((thread, kind, variable, site(cast, kind, variable, chance.randrange(sites))))
    return steps


def in_portions(chance, criterion, cast, steps):
    criterion.begin(cast)
    cut = chance.randint(0, len(steps))
    criterion.feed(steps[:cut])
    first = criterion.collect(final=False)
    criterion.feed(steps[cut:])
    rest = criterion.collect(final=True)
    assert first.isdisjoint(rest)
    return first | rest


def test_the_criterion_finds_what_the_definition_says():
    chance = random.Random(2019)
    criterion = MemoryAccessPatterns()
    lengths = []
    for _ in range(4000):
        cast = random_cast(chance)
        size = {"length": chance.randint(2, 16), "threads": chance.randint(2, 4), "sites": chance.randint(1, 2)}
        steps = random_steps(chance, cast, **size)
        keys = in_portions(chance, criterion, cast, steps)
        assert keys == all_patterns(steps, cast), steps
        lengths += [len(key) for key in keys]
    assert lengths.count(8) > 500  # patterns of two variables were among them


def test_threads_that_end_lose_nothing():
    chance = random.Random(11)
    for _ in range(300):
        cast = random_cast(chance)
        steps = random_steps(chance, cast, length=12, threads=4, sites=1)
        last = {thread: index for index, (thread, _, _, _) in enumerate(steps)}
        with_ends = []
        for index, step in enumerate(steps):
            with_ends.append(step)
            if last[step[0]] == index:
                with_ends.append((step[0], "end", step[0], 0))
        assert in_portions(chance, MemoryAccessPatterns(), cast, with_ends) == all_patterns(steps, cast)


def test_what_is_covered_is_never_more_than_the_total():
    """Long executions of few sites, which cover nearly everything; everything covered is a requirement."""
    chance = random.Random(3)
    full = 0
    for _ in range(40):
        cast = random_cast(chance)
        sites = chance.randint(1, 2)
        model = whole_model(cast, sites)
        criterion = MemoryAccessPatterns()
        steps = random_steps(chance, cast, length=chance.choice((50, 2000)), threads=3, sites=sites)
        keys = in_portions(chance, criterion, cast, steps)
        requirements = set(criterion.requirements(model, Facts()))
        assert len(requirements) == criterion.static_total(model).number
        assert keys <= requirements
        full += keys == requirements
    assert full  # so the total is reached as well, and could not be any smaller


def whole_model(cast, sites):
    variables = {}
    for number, variable in enumerate(cast.variables):
        reads, writes = (
            frozenset(site(cast, kind, number, index) for index in range(sites)) for kind in ("read", "write")
        )
        variables[variable.owner, variable.name] = Accesses(reads, writes)
    return Model(variables)
