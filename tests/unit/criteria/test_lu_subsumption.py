"""The hierarchy: complete coverage by one criterion implies complete coverage by the next.

The paper says, and does not prove, that ALL subsumes TPAIR, TPAIR SVAR, and SVAR the four others. The last does not
hold where three threads touch a variable: SVAR looks at two threads at a time, but what a read reads, and whether
nothing comes between two accesses, depends on all of them. The counterexample is a test.

PInv subsumes LR-Inv in programs without synchronization, where every pair of accesses can go undisturbed. With
synchronization it need not: see the last test.
"""

from __future__ import annotations

from functools import partial
from random import Random

from lu_programs import interleavings, program_cast, program_steps, random_program, watch
from measured_programs import program as program_named

import raddle
from raddle.criteria.base import WHOLE
from raddle.criteria.definitions import DefUse, LocalOrRemoteDefinition
from raddle.criteria.interleaved_pairs import LocalOrRemoteInterleave, PairInterleave
from raddle.criteria.orders import All, SingleVariable, ThreadPair
from raddle.criteria.sizes import sizes
from raddle.pruning_facts import PruningFacts
from raddle.static_model import StaticModel

CRITERIA = (All, ThreadPair, SingleVariable, DefUse, PairInterleave, LocalOrRemoteDefinition, LocalOrRemoteInterleave)
UNSYNCHRONIZED = [("all", "tpair"), ("tpair", "svar"), ("def-use", "lr-def"), ("pinv", "lr-inv")]
FOR_TWO = [("svar", "def-use"), ("svar", "pinv"), ("svar", "lr-def"), ("svar", "lr-inv")]


def covered_by_each(program):
    """Of each interleaving, what it covers of each criterion; and the criteria."""
    criteria = [make() for make in CRITERIA]
    entities = program_cast(program)
    executions = [
        {criterion.name: watch(criterion, entities, program_steps(program, order)) for criterion in criteria}
        for order in interleavings(program)
    ]
    return executions, criteria


def union(executions, name):
    return set().union(*(execution[name] for execution in executions))


def threads_at_most(program, most):
    touching = {}
    for thread, line in enumerate(program):
        for _, name in line:
            touching.setdefault(name, set()).add(thread)
    return all(len(threads) <= most for threads in touching.values())


def check_hierarchy(random, program, edges):
    executions, _ = covered_by_each(program)
    complete = {make.name: union(executions, make.name) for make in CRITERIA}
    for stronger, weaker in edges:
        random.shuffle(executions)
        taken, missing = [], set(complete[stronger])
        for execution in executions:
            if missing & execution[stronger]:  # no more than needed: as little of the weaker one as possible
                taken.append(execution)
                missing -= execution[stronger]
        assert union(taken, stronger) == complete[stronger]
        assert union(taken, weaker) == complete[weaker], (program, stronger, weaker)


def programs(random, number, *, most):
    small = partial(random_program, random, names="vu")
    while number:
        threads = random.choice([2, 3])
        program = small(threads=threads, accesses=3 if threads == 2 else 2)
        if threads_at_most(program, most):
            number -= 1
            yield program


def test_what_holds_without_synchronization():
    random = Random(8)
    for program in programs(random, 100, most=3):
        check_hierarchy(random, program, UNSYNCHRONIZED)


def test_what_holds_where_two_threads_meet():
    random = Random(9)
    for program in programs(random, 100, most=2):
        check_hierarchy(random, program, FOR_TWO)


def test_what_does_not_hold_where_three_threads_meet():
    # T1 writes, T2 reads, T3 writes. The two interleavings w1 r2 w3 and w3 r2 w1 have every two threads in both
    # orders, so SVAR and TPAIR are complete. But r2 never reads the initial value.
    program = [[("write", "v")], [("read", "v")], [("write", "v")]]
    executions, _ = covered_by_each(program)
    orders = interleavings(program)
    two = [executions[orders.index([(first, 0), (1, 0), (third, 0)])] for first, third in ((0, 2), (2, 0))]
    for name in ("tpair", "svar"):
        assert union(two, name) == union(executions, name)
    assert {write for _, write, _ in union(executions, "def-use") - union(two, "def-use")} == {"initial"}
    assert {whose for _, _, whose in union(executions, "lr-def") - union(two, "lr-def")} == {"local"}


def test_pairs_too_where_three_threads_meet():
    # T1 writes twice, T2 and T3 read: w1 r2 w1 r3 and w1 r3 w1 r2, and whatever else two at a time need: r2 and r3
    # never both outside.
    program = [[("write", "v"), ("write", "v")], [("read", "v")], [("read", "v")]]
    executions, _ = covered_by_each(program)
    orders = interleavings(program)
    chosen = [
        [(0, 0), (1, 0), (0, 1), (2, 0)],  # r2 inside, r3 after
        [(0, 0), (2, 0), (0, 1), (1, 0)],  # r3 inside, r2 after
        [(1, 0), (0, 0), (2, 0), (0, 1)],  # r2 before
        [(2, 0), (0, 0), (1, 0), (0, 1)],  # r3 before
    ]
    some = [executions[orders.index(order)] for order in chosen]
    assert union(some, "svar") == union(executions, "svar")
    assert {between for *_, between in union(executions, "pinv") - union(some, "pinv")} == {"none"}
    assert {verdict for *_, verdict in union(executions, "lr-inv") - union(some, "lr-inv")} == {"serializable"}


def test_sizes_by_formula_are_what_all_interleavings_cover():
    random = Random(10)
    for program in programs(random, 100, most=3):
        executions, criteria = covered_by_each(program)
        expected = sizes(program)
        for criterion in criteria:
            found = union(executions, criterion.name)
            assert len(found) == expected[criterion.name] == criterion.seen_total().number, (program, criterion.name)
            requirements = criterion.requirements(StaticModel(), PruningFacts())
            if criterion.cost == WHOLE:
                assert requirements is None
            else:
                assert set(requirements) == found


def test_one_execution_completes_pinv_but_not_lr_inv():
    # a reads x twice; b's read always comes between, by semaphores; c's write comes anywhere. In the execution in which
    # it comes between the two as well, a's pair has met all it ever meets: b's read and c's write, never nothing. For
    # lr-inv the pair is unserializable there, and serializable where c writes before or after: 1 of 2.
    module = program_named("three")
    samples = list(
        raddle.measure(module.scenario, criteria="pinv,lr-inv", scheduler="exhaustive", source=[module.__file__])
    )
    pinv, lr_inv = (set().union(*(sample.covered[name] for sample in samples)) for name in ("pinv", "lr-inv"))
    assert (len(pinv), len(lr_inv)) == (2, 2)
    complete = [sample for sample in samples if sample.covered["pinv"] == pinv]
    assert complete
    assert {len(sample.covered["lr-inv"]) for sample in complete} == {1}
