"""Soundness of `Feasibility`: covered requirements are never ruled out, and the order of executions is irrelevant."""

from __future__ import annotations

import random

from locked_programs import LockedProgram

from raddle.analysis.feasibility import Feasibility
from raddle.criteria.memory_access import MemoryAccessPatterns
from raddle.pruning_facts import PruningFacts
from raddle.tally import PRUNED


def facts_of(entities, *executions):
    feasibility = Feasibility()
    for steps in executions:
        feasibility.begin(entities)
        feasibility.feed(steps)
    return feasibility.facts()


def test_no_covered_requirement_is_ruled_out():
    chance = random.Random(7)
    criterion = MemoryAccessPatterns()
    pruned = 0
    for _ in range(80):
        program = LockedProgram(chance)
        executions = [program.execute() for _ in range(12)]
        covered, separate_facts = set(), []
        for steps in executions:
            criterion.begin(program.entities)
            criterion.feed(steps)
            keys = criterion.collect(final=True)
            separate_facts.append(facts_of(program.entities, steps))
            assert [criterion.infeasible(key, separate_facts[-1]) for key in keys] == [None] * len(keys)
            covered |= keys
        together = facts_of(program.entities, *executions)
        assert [criterion.infeasible(key, together) for key in covered] == [None] * len(covered)
        chance.shuffle(separate_facts)
        assert sum(separate_facts, PruningFacts()) == together
        requirements = list(criterion.requirements(program.model(), together))
        assert covered <= set(requirements)
        total = criterion.total(program.model(), together)
        assert total.number == len(requirements)
        pruned += total.kind == PRUNED
    assert pruned > 40


def test_what_three_executions_rule_out_is_never_covered_later():
    """A hundred further executions cover nothing that three complete executions rule out.

    The operations are the same under every schedule, so a few executions reveal the constraints that locks, starts and
    joins impose.
    """
    chance = random.Random(5)
    criterion = MemoryAccessPatterns()
    programs = 0
    while programs < 15:
        program = LockedProgram(chance)
        executions = [program.execute() for _ in range(3)]
        if any(len(steps) < sum(map(len, program.threads)) for steps in executions):
            continue  # a deadlock cut an execution short
        programs += 1
        facts = facts_of(program.entities, *executions)
        for _ in range(100):
            criterion.begin(program.entities)
            criterion.feed(program.execute())
            assert not [key for key in criterion.collect(final=True) if criterion.infeasible(key, facts)]


def test_reading_the_facts_during_an_execution_changes_nothing():
    chance = random.Random(1)
    for _ in range(50):
        program = LockedProgram(chance)
        steps = program.execute()
        feasibility = Feasibility()
        feasibility.begin(program.entities)
        for step in steps:
            feasibility.feed([step])
            if chance.random() < 0.2:
                feasibility.facts()
        assert feasibility.facts() == facts_of(program.entities, steps)
