"""What starts and joins make impossible is in no total: against all interleavings of small programs."""

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
    """Every execution of a program: by thread, a list of (kind, variable or thread). Thread 0 is the first."""

    def extend(done, started):
        ended = True
        for thread, line in enumerate(program):
            at = done[thread]
            if thread not in started or at == len(line):
                continue
            kind, what = line[at]
            if kind == "join" and (what not in started or done[what] < len(program[what])):
                continue
            ended = False
            step = (thread, kind, NAMES.index(what) if kind in (READ, WRITE) else what, SITE + 100 * thread + at)
            more = started | {what} if kind == "start" else started
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
    """Thread 0 starts thread 1 and 2 and joins them or not; thread 1 may start thread 3; all touch variables."""

    def accesses(most):
        return [(random.choice([READ, WRITE]), random.choice(NAMES)) for _ in range(random.randint(0, most))]

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
def test_totals_are_what_all_interleavings_cover(seed):
    random = Random(seed)
    for _ in range(25):
        check(random_program(random))


@pytest.mark.parametrize(
    "program",
    [
        # T1's first write is overwritten before T0 reads.
        [[("start", 1), ("join", 1), (READ, "x")], [(WRITE, "x"), (WRITE, "x")]],
        # So it is by T1 after it has started T2, which may end before.
        [[("start", 1), ("join", 1), (READ, "x")], [(WRITE, "x"), ("start", 2), (WRITE, "x")], [(READ, "x")]],
        # One thread after the other: each reads what the one before has written.
        [
            [("start", 1), ("join", 1), ("start", 2), ("join", 2), (READ, "x")],
            [(WRITE, "x")],
            [(READ, "x"), (WRITE, "x")],
        ],
        # T0's own write comes after what T1 wrote.
        [[("start", 1), ("join", 1), (WRITE, "x"), (READ, "x")], [(WRITE, "x")]],
        # T2 is never joined.
        [[("start", 1), ("start", 2), ("join", 1), (READ, "x")], [(WRITE, "x")], [(WRITE, "x"), (READ, "x")]],
    ],
)
def test_what_is_overwritten_is_not_seen(program):
    check(program)


def test_writes_before_every_start_are_the_initial_state():
    # T0 writes x, starts T1 and T2, which read and write it, and reads it after both were joined.
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
    # def-use: each worker's read reads the initial value or the other's (2 x 2), T0's read one of the two writes (2).
    # lr-def: each worker's read is local or remote (2 x 2), T0's is remote (1).
    # pinv: a worker's pair meets nothing, or one of the other's two accesses (2 x 3); T0's two accesses have all four
    # of the workers between them (4). lr-inv: a worker's pair is or is not unserializable (2 x 2), T0's always is (1).
    # Orders: C(4, 2) of the workers; T0 with each worker has one.
    assert totals == {
        "all": 6, "tpair": 6 + 2, "svar": 6 + 2, "def-use": 4 + 2, "pinv": 6 + 4, "lr-def": 4 + 1, "lr-inv": 4 + 1
    }  # fmt: skip


def test_a_thread_that_was_not_seen_started_ends_the_initial_state():
    # Thread 5 comes from nowhere. What T0 writes after that can be read remotely; what it wrote before is initial.
    entities = make_entities(variables=[variable("x")])
    steps = [(0, WRITE, 0, SITE), (5, READ, 0, SITE + 1), (0, WRITE, 0, SITE + 2), (5, READ, 0, SITE + 3)]
    assert {whose for _, _, whose in watch(LocalOrRemoteDefinition(), entities, steps)} == {"local", "remote"}
    assert {write for _, write, _ in watch(DefUse(), entities, steps)} == {"initial", ("T0", WRITE, SITE + 2, 1)}


def test_many_starts_leave_the_order_open():
    """Where there are too many segments nothing is taken to be impossible: the totals are larger, never smaller."""
    threads = range(1, MAX_SEGMENTS + 2)
    steps = [(0, WRITE, 0, SITE)]
    for thread in threads:
        steps += [(0, "start", thread, SITE + 1), (thread, READ, 0, SITE + 2), (0, "join", thread, SITE + 3)]
    criterion = LocalOrRemoteDefinition()
    covered = watch(criterion, make_entities(variables=[variable("x")]), steps)
    # Each thread reads the initial value; no other write is known.
    assert len(covered) == criterion.seen_total().number == len(threads)


def test_a_branch_leaves_open_what_another_execution_rules_out():
    # T0 reads x before it starts T1, which writes it, in one execution, and after that in the other.
    entities = make_entities(variables=[variable("x")])
    criterion = LocalOrRemoteDefinition()
    read, start, write = (0, READ, 0, SITE + 1), (0, "start", 1, SITE), (1, WRITE, 0, SITE + 2)
    watch(criterion, entities, [read, start, write])
    assert criterion.seen_total().number == 1  # local
    watch(criterion, entities, [start, write, read])
    assert criterion.seen_total().number == 2  # local or remote
