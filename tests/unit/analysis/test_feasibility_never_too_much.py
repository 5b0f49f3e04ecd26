"""What an execution covered is never held to be impossible, and what is said does not depend on the order."""

from __future__ import annotations

import random

from locked_programs import LockedProgram

from raddle.analysis.feasibility import Feasibility
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.pruning_facts import PruningFacts
from raddle.tally import PRUNED


def facts_of(entities, *executions):
    watching = Feasibility()
    for steps in executions:
        watching.begin(entities)
        watching.feed(steps)
    return watching.facts()


def test_no_covered_requirement_is_ruled_out():
    chance = random.Random(7)
    criterion = MemoryAccessPatterns()
    pruned = 0
    for _ in range(80):
        program = LockedProgram(chance)
        executions = [program.execute() for _ in range(12)]
        covered, apart = set(), []
        for steps in executions:
            criterion.begin(program.entities)
            criterion.feed(steps)
            keys = criterion.collect(final=True)
            apart.append(facts_of(program.entities, steps))
            assert [criterion.infeasible(key, apart[-1]) for key in keys] == [None] * len(keys)
            covered |= keys
        together = facts_of(program.entities, *executions)
        assert [criterion.infeasible(key, together) for key in covered] == [None] * len(covered)
        chance.shuffle(apart)
        assert sum(apart, PruningFacts()) == together
        requirements = list(criterion.requirements(program.model(), together))
        assert covered <= set(requirements)
        total = criterion.total(program.model(), together)
        assert total.number == len(requirements)
        pruned += total.kind == PRUNED
    assert pruned > 40


def test_few_executions_show_what_many_obey():
    """The programs do the same in every schedule, so what locks, starts and joins forbid shows soon: what three
    executions that came to their end rule out, a hundred do not cover."""
    chance = random.Random(5)
    criterion = MemoryAccessPatterns()
    programs = 0
    while programs < 15:
        program = LockedProgram(chance)
        executions = [program.execute() for _ in range(3)]
        if any(len(steps) < sum(map(len, program.threads)) for steps in executions):
            continue  # a deadlock
        programs += 1
        facts = facts_of(program.entities, *executions)
        for _ in range(100):
            criterion.begin(program.entities)
            criterion.feed(program.execute())
            assert not [key for key in criterion.collect(final=True) if criterion.infeasible(key, facts)]


def test_asking_in_between_changes_nothing():
    chance = random.Random(1)
    for _ in range(50):
        program = LockedProgram(chance)
        steps = program.execute()
        watching = Feasibility()
        watching.begin(program.entities)
        for step in steps:
            watching.feed([step])
            if chance.random() < 0.2:
                watching.facts()
        assert watching.facts() == facts_of(program.entities, steps)
