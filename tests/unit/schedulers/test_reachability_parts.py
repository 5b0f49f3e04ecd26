"""The parts of reachability testing, on executions written by hand."""

from __future__ import annotations

import pickle

from raddle.schedulers.dependence import Choice, Names, Operation, depend, may_depend
from raddle.schedulers.operation_log import DoneOperation, EventKind, InterveningEvent, Log
from raddle.schedulers.partial_order import Order, Race
from raddle.schedulers.wakeup import Node, Reversal
from raddle.threads.calculus import ThreadCalculus
from raddle.threads.modes import CONFLICTS, FREE, GIVE, ITEM, MUTEX, READ, TAKE, WRITE

X, LOCK = 0, 1  # the keys of a variable and a lock
A, B, C = (("A", ""), ("B", ""), ("C", ""))  # choices of threads whose operations have one outcome
CALCULUS = ThreadCalculus()
DESCRIPTIONS = [("x", "Box")] * 9


def read(key: int = X) -> Operation:
    return Operation(((key, READ, 0),))


def write(key: int = X) -> Operation:
    return Operation(((key, WRITE, 0),))


def take() -> Operation:
    return Operation(((LOCK, TAKE, 0),), FREE)


def give() -> Operation:
    return Operation(((LOCK, GIVE, 0),))


def log_of(*done: tuple[str, Operation], waiting: tuple[tuple[Choice, Operation], ...] = ()) -> Log:
    """Return the log of an execution in which all threads exist from the start and the lock is initially free."""
    log = Log(CALCULUS)
    free = 1
    for label, operation in done:
        mode = operation.accesses[0][1]
        log.done.append(DoneOperation(label, operation, (free,) if mode in (TAKE, GIVE) else None))
        free += {TAKE: -1, GIVE: 1}.get(mode, 0)
    log.levels[LOCK, 1] = (free,)
    log.waiting = waiting
    return log


def races(log: Log) -> list[tuple[int, tuple[int, ...], str]]:
    return [(race.first, race.others, race.choice[0]) for race in Order(log).races()]


# -- order -------------------------------------------------------------------------------------------------------


def test_an_operation_comes_after_what_it_depends_on() -> None:
    # A writes x, B reads x and C reads y. A's write happens before B's read, and nothing happens before C's read.
    order = Order(log_of(("A", write()), ("B", read()), ("C", read(7))))
    assert order.before == [0b001, 0b011, 0b100]


def test_a_thread_comes_after_its_start() -> None:
    log = log_of(("A", write()), ("B", write(7)))
    log.between[1] = [InterveningEvent(EventKind.STARTED, "A", "B")]
    assert Order(log).before == [0b01, 0b11]
    assert races(log) == []


def test_two_writes_race() -> None:
    # B's read of y does not depend on A's write, so it still precedes B's write when the race is reversed.
    assert races(log_of(("A", write()), ("B", read(7)), ("B", write()))) == [(0, (1,), "B")]


def test_only_the_nearest_of_several_races_is_reported() -> None:
    # B's write races with A's second write. A's first write precedes A's second write in any case.
    assert races(log_of(("A", write()), ("A", write()), ("B", write()))) == [(1, (), "B")]


def test_the_second_acquire_races_with_the_first() -> None:
    # The second acquire does not race with the release that enabled it, because it was also possible before the first
    # acquire.
    log = log_of(("A", take()), ("A", give()), ("B", take()), ("B", give()))
    assert Order(log).before[2] == 0b0111
    assert races(log) == [(0, (), "B")]


def test_an_acquire_that_stays_blocked_races_with_the_one_that_blocks_it() -> None:
    log = log_of(("A", take()), waiting=((B, take()),))
    assert races(log) == [(0, (), "B")]


def test_operations_separated_by_passing_time_do_not_race() -> None:
    log = log_of(("A", write()), ("B", write()))
    log.between[1] = [InterveningEvent(EventKind.TIME_PASSED)]
    assert races(log) == []


# -- resource counts ---------------------------------------------------------------------------------------------


def test_an_acquire_is_possible_while_the_lock_is_free() -> None:
    log = log_of(("A", take()), ("A", give()), ("B", take()))
    stock = CALCULUS.supplies(log)
    assert stock.possible(take(), within=0b000)
    assert not stock.possible(take(), within=0b001)
    assert stock.possible(take(), within=0b011)
    assert stock.enabler(take(), within=0b011) == 1  # the first release enables the second acquire
    assert stock.enabler(take(), within=0b000) == -1


def test_a_put_holds_the_mutex_until_it_is_released() -> None:
    # A puts an item, and other threads may run before A releases the mutex. Then B acquires the mutex.
    put = Operation(((LOCK, WRITE, 0),), MUTEX)
    done = [DoneOperation("A", put, (1, 0, 0)), DoneOperation("A", give(), (0,)), DoneOperation("B", take(), (1,))]
    log = Log(CALCULUS)
    log.done, log.levels = done, {(LOCK, 1): (0,), (LOCK, 3): (0, 1, 1)}
    stock = CALCULUS.supplies(log)
    assert stock.possible(take(), within=0b000)
    assert not stock.possible(take(), within=0b001)
    assert stock.enabler(take(), within=0b011) == 1
    # The put has also added an item, which a get can take once the mutex is free.
    get = Operation(((LOCK, WRITE, 0),), ITEM)
    assert [stock.possible(get, within) for within in (0b000, 0b001, 0b011, 0b111)] == [False, False, True, False]


# -- names -------------------------------------------------------------------------------------------------------


def test_an_object_has_the_same_key_in_every_execution() -> None:
    names = Names()
    first = names.add([], "[]", ("T1", 3), since=5)
    names.begin()
    assert names.add([], "[]", ("T1", 3), since=6) == (first[0], 6)
    assert names.add([], "[]", ("T2", 3), since=6)[0] != first[0]
    assert pickle.loads(pickle.dumps(names)).descriptions == names.descriptions == [("[]", "list"), ("[]", "list")]


def test_objects_first_seen_after_the_common_prefix_may_be_identical() -> None:
    descriptions = [("n", "Box"), ("n", "Box"), ("n", "Other")]
    early, late, other = (Operation(((key, WRITE, since),)) for key, since in ((0, 2), (1, 9), (2, 9)))
    also_late = Operation(((0, WRITE, 9),))
    assert not depend(CONFLICTS, late, also_late)
    assert may_depend(CONFLICTS, late, also_late, descriptions, common=5)
    # The early object already existed in the common prefix.
    assert not may_depend(CONFLICTS, late, early, descriptions, common=5)
    assert not may_depend(CONFLICTS, other, also_late, descriptions, common=5)


# -- the next execution ------------------------------------------------------------------------------------------


def reversal_of(log: Log) -> Reversal:
    order = Order(log)
    (race,) = order.races()
    return Reversal(race, log, order, DESCRIPTIONS)


def test_a_race_is_reversed_once() -> None:
    node = Node({}, [])
    log = log_of(("A", write()), ("B", read(7)), ("B", write()))
    node.insert(reversal_of(log))
    node.insert(reversal_of(log))
    (branch,) = node.branches
    assert (branch.choice, [after.choice for after in branch.after]) == (B, [B])


def test_a_sequence_that_can_begin_with_a_sleeping_operation_is_redundant() -> None:
    # Every execution that begins with B's read of y has been explored. The sequence could begin with that read, so the
    # sequence is redundant.
    log = log_of(("A", write()), ("B", read(7)), ("B", write()))
    node = Node({B: read(7)}, [])
    node.insert(reversal_of(log))
    assert node.branches == []
    # C is asleep, and its next operation is a write of x. That write does not commute with the sequence, so the
    # sequence is new.
    node = Node({C: write()}, [])
    node.insert(reversal_of(log))
    assert [branch.choice for branch in node.branches] == [B]


def test_an_operation_that_does_not_commute_wakes_a_sleeping_thread() -> None:
    node = Node({A: write(), B: read(7)}, [])
    assert set(node.successor(read(), CONFLICTS, DESCRIPTIONS).sleeping) == {B}


def test_an_operation_that_aborts_the_execution_is_not_put_to_sleep() -> None:
    node = Node({}, [])
    node.taken = node.aborting = A
    node.put_to_sleep(write())
    assert node.sleeping == {}


def test_an_infeasible_reversal_is_not_planned_again() -> None:
    # Planning the reversal again would make the search endless. The sleep set does not prevent this, because no
    # execution began with B, so B is not asleep.
    log = log_of(("A", write()), ("B", write()))
    node = Node({}, [])
    node.insert(reversal_of(log))
    assert node.take_branch()
    assert node.taken == B
    node.mark_infeasible()
    node.insert(reversal_of(log))
    assert node.branches == []


def test_a_race_names_the_operation_to_run_first() -> None:
    log = log_of(("A", write()), ("B", write()))
    assert list(Order(log).races()) == [Race(first=0, others=(), choice=B, operation=write(), after=0)]
