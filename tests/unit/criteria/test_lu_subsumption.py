"""The subsumption hierarchy: complete coverage of one criterion implies complete coverage of the next.

The paper claims without proof that ALL subsumes TPAIR, that TPAIR subsumes SVAR, and that SVAR subsumes the other
four. The last claim fails if three threads access a variable. SVAR considers two threads at a time, but the value
that a read returns and the accesses that come between two others depend on all threads. Two of the tests contain
counterexamples.

PInv subsumes LR-Inv in programs without synchronization, in which every pair of accesses can occur without an access in
between. With synchronization, this need not hold, as the last test shows.
"""

from __future__ import annotations

from functools import partial
from random import Random

from lu_programs import interleavings, program_entities, program_steps, random_program, watch
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
TWO_THREADS = [("svar", "def-use"), ("svar", "pinv"), ("svar", "lr-def"), ("svar", "lr-inv")]


def covered_by_each(program):
    """Return the criteria, and for each interleaving the keys that each criterion counts as covered."""
    criteria = [make() for make in CRITERIA]
    entities = program_entities(program)
    executions = [
        {criterion.name: watch(criterion, entities, program_steps(program, order)) for criterion in criteria}
        for order in interleavings(program)
    ]
    return executions, criteria


def union(executions, name):
    return set().union(*(execution[name] for execution in executions))


def threads_at_most(program, limit):
    touching = {}
    for thread, line in enumerate(program):
        for _, name in line:
            touching.setdefault(name, set()).add(thread)
    return all(len(threads) <= limit for threads in touching.values())


def check_hierarchy(random, program, edges):
    executions, _ = covered_by_each(program)
    complete = {make.name: union(executions, make.name) for make in CRITERIA}
    for stronger, weaker in edges:
        random.shuffle(executions)
        chosen, missing = [], set(complete[stronger])
        for execution in executions:
            if (
                missing & execution[stronger]
            ):  # choose only the executions needed, so that the weaker criterion is covered as little as possible
                chosen.append(execution)
                missing -= execution[stronger]
        assert union(chosen, stronger) == complete[stronger]
        assert union(chosen, weaker) == complete[weaker], (program, stronger, weaker)


def programs(random, number, *, limit):
    small = partial(random_program, random, names="vu")
    while number:
        threads = random.choice([2, 3])
        program = small(threads=threads, accesses=3 if threads == 2 else 2)
        if threads_at_most(program, limit):
            number -= 1
            yield program


def test_the_hierarchy_holds_without_synchronization():
    random = Random(8)
    for program in programs(random, 100, limit=3):
        check_hierarchy(random, program, UNSYNCHRONIZED)


def test_svar_subsumes_the_others_if_at_most_two_threads_share_a_variable():
    random = Random(9)
    for program in programs(random, 100, limit=2):
        check_hierarchy(random, program, TWO_THREADS)


def test_svar_does_not_subsume_def_use_if_three_threads_share_a_variable():
    # T1 writes x, T2 reads it and T3 writes it. The two interleavings w1 r2 w3 and w3 r2 w1 contain each pair of
    # threads in both orders, so SVAR and TPAIR are complete. But r2 never returns the initial value.
    program = [[("write", "v")], [("read", "v")], [("write", "v")]]
    executions, _ = covered_by_each(program)
    orders = interleavings(program)
    two = [executions[orders.index([(first, 0), (1, 0), (third, 0)])] for first, third in ((0, 2), (2, 0))]
    for name in ("tpair", "svar"):
        assert union(two, name) == union(executions, name)
    assert {write for _, write, _ in union(executions, "def-use") - union(two, "def-use")} == {"initial"}
    assert {source for _, _, source in union(executions, "lr-def") - union(two, "lr-def")} == {"local"}


def test_svar_does_not_subsume_pinv_if_three_threads_share_a_variable():
    # T1 writes twice, and T2 and T3 read once each. The chosen interleavings are w1 r2 w1 r3, w1 r3 w1 r2, and those
    # that complete SVAR. In none of them are both r2 and r3 outside T1's pair.
    program = [[("write", "v"), ("write", "v")], [("read", "v")], [("read", "v")]]
    executions, _ = covered_by_each(program)
    orders = interleavings(program)
    chosen = [
        [(0, 0), (1, 0), (0, 1), (2, 0)],  # r2 inside T1's pair, r3 after it
        [(0, 0), (2, 0), (0, 1), (1, 0)],  # r3 inside T1's pair, r2 after it
        [(1, 0), (0, 0), (2, 0), (0, 1)],  # r2 before T1's pair, r3 inside it
        [(2, 0), (0, 0), (1, 0), (0, 1)],  # r3 before T1's pair, r2 inside it
    ]
    some = [executions[orders.index(order)] for order in chosen]
    assert union(some, "svar") == union(executions, "svar")
    assert {between for *_, between in union(executions, "pinv") - union(some, "pinv")} == {"none"}
    assert {verdict for *_, verdict in union(executions, "lr-inv") - union(some, "lr-inv")} == {"serializable"}


def test_sizes_by_formula_equal_the_coverage_of_all_interleavings():
    random = Random(10)
    for program in programs(random, 100, limit=3):
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
    # Thread A runs `a` and reads x twice, and threads B and C run `b` and `c`. Semaphores ensure that B always reads in
    # between, while C can write at any time. If C also writes in between, A's pair is covered with B's read and with
    # C's write. The pair with nothing in between is infeasible, so the execution completes `pinv`. For `lr-inv`, A's
    # pair with C's write in between is unserializable. The two reads are serializable only if C does not write between
    # them. No execution contains both cases, so each execution covers only 1 of the 2 requirements of `lr-inv`.
    module = program_named("three")
    samples = list(
        raddle.measure(module.scenario, criteria="pinv,lr-inv", scheduler="exhaustive", source=[module.__file__])
    )
    pinv, lr_inv = (set().union(*(sample.covered[name] for sample in samples)) for name in ("pinv", "lr-inv"))
    assert (len(pinv), len(lr_inv)) == (2, 2)
    complete = [sample for sample in samples if sample.covered["pinv"] == pinv]
    assert complete
    assert {len(sample.covered["lr-inv"]) for sample in complete} == {1}
