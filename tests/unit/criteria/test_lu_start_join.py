"""Totals exclude requirements that starts and joins make infeasible, checked on all interleavings of small programs."""

from __future__ import annotations

from random import Random

import pytest
from lu_programs import SITE, variable, watch

from raddle.criteria.base import WHOLE
from raddle.criteria.definitions import DefUse, LocalOrRemoteDefinition
from raddle.criteria.interleaved_pairs import LocalOrRemoteInterleave, PairInterleave
from raddle.criteria.orders import All, SingleVariable, ThreadPair
from raddle.criteria.segments import MAX_SEGMENTS
from raddle.entities import make_entities
from raddle.pruning_facts import PruningFacts
from raddle.static_model import StaticModel

CRITERIA = (All, ThreadPair, SingleVariable, DefUse, PairInterleave, LocalOrRemoteDefinition, LocalOrRemoteInterleave)
READ, WRITE = "read", "write"
NAMES = "xy"


def executions(program):
    """Return every execution of `program`, which has one list of (kind, variable or thread) per thread.

    Thread 0 runs first and starts the others.
    """

    def extend(done, started):
        ended = True
        for thread, line in enumerate(program):
            at = done[thread]
            if thread not in started or at == len(line):
                continue
            kind, target = line[at]
            if kind == "join" and (target not in started or done[target] < len(program[target])):
                continue
            ended = False
            step = (thread, kind, NAMES.index(target) if kind in (READ, WRITE) else target, SITE + 100 * thread + at)
            more = started | {target} if kind == "start" else started
            for rest in extend((*done[:thread], at + 1, *done[thread + 1 :]), more):
                yield [step, *rest]
        if ended:
            yield []

    return list(extend(tuple(0 for _ in program), frozenset({0})))


def check(program):
    entities = make_entities(variables=[variable(name) for name in NAMES])
    found = executions(program)
    for make in CRITERIA:
        criterion = make()
        keys = set().union(*(watch(criterion, entities, steps) for steps in found))
        assert criterion.seen_total().number == len(keys), (program, criterion.name)
        if criterion.cost != WHOLE:
            assert set(criterion.requirements(StaticModel(), PruningFacts())) == keys, (program, criterion.name)


def random_program(random):
    """Return a random program in which thread 0 starts threads 1 and 2 and may join them.

    Thread 1 may start thread 3. All threads may access variables.
    """

    def accesses(limit):
        return [(random.choice([READ, WRITE]), random.choice(NAMES)) for _ in range(random.randint(0, limit))]

    main = [*accesses(2), ("start", 1), *accesses(1)]
    others = [accesses(2)]
    if random.random() < 0.5:
        main += [("join", 1), *accesses(1)]
    if random.random() < 0.7:
        main += [("start", 2), *accesses(1)]
        others.append(accesses(2))
        main += [("join", 2), *accesses(1)] if random.random() < 0.6 else []
        if random.random() < 0.3:
            others[0] += [("start", 3), *accesses(1)]
            others.append(accesses(1))
    return [main, *others]


@pytest.mark.parametrize("seed", range(8))
def test_totals_equal_the_coverage_of_all_interleavings(seed):
    random = Random(seed)
    for _ in range(25):
        check(random_program(random))


@pytest.mark.parametrize(
    "program",
    [
        # T1's first write is overwritten before T0 reads.
        [[("start", 1), ("join", 1), (READ, "x")], [(WRITE, "x"), (WRITE, "x")]],
        # T1 overwrites its first write after starting T2, which may read before or after that.
        [[("start", 1), ("join", 1), (READ, "x")], [(WRITE, "x"), ("start", 2), (WRITE, "x")], [(READ, "x")]],
        # The threads run one after the other. Each reads the value written by the previous thread.
        [
            [("start", 1), ("join", 1), ("start", 2), ("join", 2), (READ, "x")],
            [(WRITE, "x")],
            [(READ, "x"), (WRITE, "x")],
        ],
        # T0's own write follows T1's write.
        [[("start", 1), ("join", 1), (WRITE, "x"), (READ, "x")], [(WRITE, "x")]],
        # T2 is never joined.
        [[("start", 1), ("start", 2), ("join", 1), (READ, "x")], [(WRITE, "x")], [(WRITE, "x"), (READ, "x")]],
    ],
)
def test_totals_exclude_values_that_are_always_overwritten(program):
    check(program)


def test_writes_before_every_start_are_the_initial_state():
    # T0 writes x and starts T1 and T2, which read and write x. After joining both, T0 reads x.
    worker = [(READ, "x"), (WRITE, "x")]
    joins = [("join", 1), ("join", 2), (READ, "x")]
    program = [[(WRITE, "x"), ("start", 1), ("start", 2), *joins], worker, worker]
    entities = make_entities(variables=[variable(name) for name in NAMES])
    totals = {}
    for make in CRITERIA:
        criterion = make()
        for steps in executions(program):
            watch(criterion, entities, steps)
        totals[criterion.name] = criterion.seen_total().number
    # def-use: each worker reads the initial value or the other worker's value (2 x 2). T0 reads one of the two values
    # that the workers wrote (2).
    # lr-def: each worker's read is local or remote (2 x 2). T0's read is remote (1).
    # pinv: a worker's pair has either nothing or one of the other worker's two accesses in between (2 x 3). T0's pair
    # always has all four accesses of the workers in between (4).
    # lr-inv: a worker's pair is serializable or unserializable (2 x 2). T0's pair is always unserializable (1).
    # Orders: the accesses of the two workers can interleave in C(4, 2) orders. The accesses of T0 and a worker can come
    # in only one order.
    assert totals == {
        "all": 6, "tpair": 6 + 2, "svar": 6 + 2, "def-use": 4 + 2, "pinv": 6 + 4, "lr-def": 4 + 1, "lr-inv": 4 + 1
    }  # fmt: skip


def test_a_thread_without_a_recorded_start_ends_the_initial_state():
    # The start of thread 5 is not recorded. T0's write before thread 5's first step is part of the initial state.
    # Thread 5 can read the value that T0 writes after that step.
    entities = make_entities(variables=[variable("x")])
    steps = [(0, WRITE, 0, SITE), (5, READ, 0, SITE + 1), (0, WRITE, 0, SITE + 2), (5, READ, 0, SITE + 3)]
    assert {source for _, _, source in watch(LocalOrRemoteDefinition(), entities, steps)} == {"local", "remote"}
    assert {write for _, write, _ in watch(DefUse(), entities, steps)} == {"initial", ("T0", WRITE, SITE + 2, 1)}


def test_too_many_starts_disable_the_exclusion_of_infeasible_requirements():
    """With more than `MAX_SEGMENTS` segments, no requirement is excluded.

    Totals may be too large, but never too small.
    """
    threads = range(1, MAX_SEGMENTS + 2)
    steps = [(0, WRITE, 0, SITE)]
    for thread in threads:
        steps += [(0, "start", thread, SITE + 1), (thread, READ, 0, SITE + 2), (0, "join", thread, SITE + 3)]
    criterion = LocalOrRemoteDefinition()
    covered = watch(criterion, make_entities(variables=[variable("x")]), steps)
    # Each thread reads the initial value, since there is no other write.
    assert len(covered) == criterion.seen_total().number == len(threads)


def test_an_execution_with_another_order_makes_a_requirement_feasible_again():
    # T1 writes x. T0 reads x before it starts T1 in one execution, and after T1's write in another.
    entities = make_entities(variables=[variable("x")])
    criterion = LocalOrRemoteDefinition()
    read, start, write = (0, READ, 0, SITE + 1), (0, "start", 1, SITE), (1, WRITE, 0, SITE + 2)
    watch(criterion, entities, [read, start, write])
    assert criterion.seen_total().number == 1  # the read is local
    watch(criterion, entities, [start, write, read])
    assert criterion.seen_total().number == 2  # the read is local or remote
