"""What reachability testing is made of, on executions written down by hand."""

from __future__ import annotations

import pickle

from raddle.schedulers.dependence import Choice, Names, Operation, depend, may_depend
from raddle.schedulers.operation_log import DoneOperation, EventKind, InterveningEvent, Log
from raddle.schedulers.partial_order import Order, Race
from raddle.schedulers.wakeup import Node, Reversal
from raddle.threads.calculus import ThreadCalculus
from raddle.threads.modes import CONFLICTS, FREE, GIVE, ITEM, MUTEX, READ, TAKE, WRITE

X, LOCK = 0, 1  # keys
A, B, C = (("A", ""), ("B", ""), ("C", ""))  # choices of threads whose operations have one outcome
CALCULUS = ThreadCalculus()
LOOKS = [("x", "Box")] * 9


def read(key: int = X) -> Operation:
    return Operation(((key, READ, 0),))


def write(key: int = X) -> Operation:
    return Operation(((key, WRITE, 0),))


def take() -> Operation:
    return Operation(((LOCK, TAKE, 0),), FREE)


def give() -> Operation:
    return Operation(((LOCK, GIVE, 0),))


def log_of(*done: tuple[str, Operation], waiting: tuple[tuple[Choice, Operation], ...] = ()) -> Log:
    """Every thread is there from the beginning; the lock is free at first."""
    log = Log(CALCULUS)
    free = 1
    for label, operation in done:
        mode = operation.accesses[0][1]
        log.done.append(DoneOperation(label, operation, (free,) if mode in (TAKE, GIVE) else None))
        free += {TAKE: -1, GIVE: 1}.get(mode, 0)
    log.levels[LOCK, 1] = (free,)
    log.waiting = waiting
    return log


def pairs(log: Log) -> list[tuple[int, tuple[int, ...], str]]:
    return [(race.first, race.others, race.choice[0]) for race in Order(log).races()]


# -- order -------------------------------------------------------------------------------------------------------


def test_an_operation_comes_after_what_it_depends_on() -> None:
    # A writes x, B reads x, C reads y: B comes after A, C after nobody.
    order = Order(log_of(("A", write()), ("B", read()), ("C", read(7))))
    assert order.before == [0b001, 0b011, 0b100]


def test_a_thread_comes_after_its_start() -> None:
    log = log_of(("A", write()), ("B", write(7)))
    log.between[1] = [InterveningEvent(EventKind.STARTED, "A", "B")]
    assert Order(log).before == [0b01, 0b11]
    assert pairs(log) == []


def test_two_writes_race() -> None:
    # What B does before A's write: its own read of y, which is not after that write.
    assert pairs(log_of(("A", write()), ("B", read(7)), ("B", write()))) == [(0, (1,), "B")]


def test_of_several_only_the_nearest_race_shows() -> None:
    # B's write races with A's second one; the first comes before that.
    assert pairs(log_of(("A", write()), ("A", write()), ("B", write()))) == [(1, (), "B")]


def test_the_second_take_races_with_the_first() -> None:
    # Not with the give that made it possible: before the take it was possible, too.
    log = log_of(("A", take()), ("A", give()), ("B", take()), ("B", give()))
    assert Order(log).before[2] == 0b0111
    assert pairs(log) == [(0, (), "B")]


def test_a_take_that_never_was_possible_races_with_what_kept_it_back() -> None:
    log = log_of(("A", take()), waiting=((B, take()),))
    assert pairs(log) == [(0, (), "B")]


def test_passing_time_is_no_race() -> None:
    log = log_of(("A", write()), ("B", write()))
    log.between[1] = [InterveningEvent(EventKind.TIME_PASSED)]
    assert pairs(log) == []


# -- stock -------------------------------------------------------------------------------------------------------


def test_how_much_there_is() -> None:
    log = log_of(("A", take()), ("A", give()), ("B", take()))
    stock = CALCULUS.supplies(log)
    assert stock.possible(take(), within=0b000)
    assert not stock.possible(take(), within=0b001)
    assert stock.possible(take(), within=0b011)
    assert stock.enabler(take(), within=0b011) == 1  # the second take lives on the first give
    assert stock.enabler(take(), within=0b000) == -1


def test_a_put_that_holds_the_mutex() -> None:
    # A puts, and others can come before it gives the mutex back; then B takes the mutex.
    put = Operation(((LOCK, WRITE, 0),), MUTEX)
    done = [DoneOperation("A", put, (1, 0, 0)), DoneOperation("A", give(), (0,)), DoneOperation("B", take(), (1,))]
    log = Log(CALCULUS)
    log.done, log.levels = done, {(LOCK, 1): (0,), (LOCK, 3): (0, 1, 1)}
    stock = CALCULUS.supplies(log)
    assert stock.possible(take(), within=0b000)
    assert not stock.possible(take(), within=0b001)
    assert stock.enabler(take(), within=0b011) == 1
    # It is the put that has brought the item, and the task.
    get = Operation(((LOCK, WRITE, 0),), ITEM)
    assert [stock.possible(get, within) for within in (0b000, 0b001, 0b011, 0b111)] == [False, False, True, False]


# -- names -------------------------------------------------------------------------------------------------------


def test_names_mean_the_same_in_another_execution() -> None:
    names = Names()
    first = names.add([], "[]", ("T1", 3), since=5)
    names.begin()
    assert names.add([], "[]", ("T1", 3), since=6) == (first[0], 6)
    assert names.add([], "[]", ("T2", 3), since=6)[0] != first[0]
    assert pickle.loads(pickle.dumps(names)).descriptions == names.descriptions == [("[]", "list"), ("[]", "list")]


def test_objects_that_were_seen_late_may_be_one() -> None:
    looks = [("n", "Box"), ("n", "Box"), ("n", "Other")]
    early, late, other = (Operation(((key, WRITE, since),)) for key, since in ((0, 2), (1, 9), (2, 9)))
    also_late = Operation(((0, WRITE, 9),))
    assert not depend(CONFLICTS, late, also_late)
    assert may_depend(CONFLICTS, late, also_late, looks, common=5)
    assert not may_depend(CONFLICTS, late, early, looks, common=5)  # that one was there before the executions parted
    assert not may_depend(CONFLICTS, other, also_late, looks, common=5)


# -- what to try next --------------------------------------------------------------------------------------------


def reversal_of(log: Log) -> Reversal:
    order = Order(log)
    (race,) = order.races()
    return Reversal(race, log, order, LOOKS)


def test_a_race_is_turned_round_once() -> None:
    node = Node({}, [])
    log = log_of(("A", write()), ("B", read(7)), ("B", write()))
    node.insert(reversal_of(log))
    node.insert(reversal_of(log))
    (branch,) = node.branches
    assert (branch.choice, [after.choice for after in branch.after]) == (B, [B])


def test_who_sleeps_need_not_go_first() -> None:
    # Everything that begins with B's read of y was had: the sequence could begin with it, so it was had as well.
    log = log_of(("A", write()), ("B", read(7)), ("B", write()))
    node = Node({B: read(7)}, [])
    node.insert(reversal_of(log))
    assert node.branches == []
    # C sleeps before a write of x. That does not commute with the sequence, which is therefore new.
    node = Node({C: write()}, [])
    node.insert(reversal_of(log))
    assert [branch.choice for branch in node.branches] == [B]


def test_sleep_ends_with_what_does_not_commute() -> None:
    node = Node({A: write(), B: read(7)}, [])
    assert set(node.successor(read(), CONFLICTS, LOOKS).sleeping) == {B}


def test_an_operation_that_ends_everything_does_not_sleep() -> None:
    node = Node({}, [])
    node.taken = node.aborting = A
    node.put_to_sleep(write())
    assert node.sleeping == {}


def test_what_turned_out_to_be_impossible_is_not_planned_again() -> None:
    # Else the search would never end: B does not sleep, as nothing that begins with it was had.
    log = log_of(("A", write()), ("B", write()))
    node = Node({}, [])
    node.insert(reversal_of(log))
    assert node.take_branch()
    assert node.taken == B
    node.mark_infeasible()
    node.insert(reversal_of(log))
    assert node.branches == []


def test_a_race_says_what_comes_next() -> None:
    log = log_of(("A", write()), ("B", write()))
    assert list(Order(log).races()) == [Race(first=0, others=(), choice=B, operation=write(), after=0)]
