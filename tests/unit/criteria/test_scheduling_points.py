"""Criteria make operations scheduling points: what a complete search covers, a random one can cover, too."""

import queue
import threading

import pytest
from measured_programs import program

import raddle
from raddle.criteria import NAMES, criterion_class
from raddle.operation import READ, RELEASE, SET, UP

ev3 = program("ev3")


def explored(scenario, file, criteria, scheduler, **options):
    return raddle.explore(
        scenario, criteria=criteria, scheduler=scheduler, source=[file], until="budget", seed=1, **options
    )


def covered(result, criterion):
    return set(result.record.tally.covered[criterion])


# The steps of ev3.py that concur-pairs monitors, by thread:
#     T0  init: ready = False, start, start, join T1, join T2
#     T1  acquire, read ready, release; then wait if ready was true
#     T2  acquire', write ready, release', set
# Acquire and release are at one site, that of their `with`: "lock" in T1, "lock'" in T2; both starts are at one, both
# joins at another. One thread, one right after the other: T0 init-start, start-start, join-join; T1 lock-read,
# read-lock, lock-wait; T2 lock'-write, write-lock', lock'-set: 9.
# A switch in between: start-lock, start-lock' (2). From T1 to T2: lock-lock' (a release, then an acquire), lock-set,
# read-set (3): while T1 has the lock, T2 can only set. From T2 to T1: lock'-lock, set-lock, set-read, set-wait (4).
# T1 can end first, and be joined anywhere in what T2 does: lock-join, wait-join (2), join-lock', join-write, join-set
# (3), lock'-join, write-join, set-join (3). Together 17, and 26 in all.
CONCURRENT_PAIRS = 9 + 17

# Visited: both `with`, the wait, the set (4). Blocked: both `with`, and the wait, if T1 comes to it between release'
# and set (3). Blocking: both `with` (2).
SYNC = 4 + 3 + 2


@pytest.mark.parametrize("scheduler", ["random", "pct", "pos", "surw", "portfolio", "exhaustive", "reachability"])
def test_a_release_and_a_set_can_be_told_apart_by_every_scheduler(scheduler):
    result = explored(ev3.scenario, ev3.__file__, ["sync", "concur-pairs"], scheduler, executions=1000)
    assert len(covered(result, "concur-pairs")) == CONCURRENT_PAIRS
    assert len(covered(result, "sync")) == SYNC


def test_a_complete_search_finds_the_same_totals_exact():
    for scheduler in ("exhaustive", "reachability"):
        result = explored(ev3.scenario, ev3.__file__, ["sync", "concur-pairs"], scheduler)
        totals = {name: (row["total"], row["total_kind"]) for name, row in result.criteria.items()}
        assert totals == {"sync": (SYNC, "exact"), "concur-pairs": (CONCURRENT_PAIRS, "exact")}


def test_a_search_that_measures_neither_has_no_more_points():
    # T1: acquire, read ready, and the release is none; T2: acquire', write ready. T0 has a point where it joins T1 only
    # if T1 has not ended. `map` is about accesses alone.
    measured = explored(ev3.scenario, ev3.__file__, ["map"], "exhaustive")
    assert criterion_class("map").points == frozenset()
    assert measured.executions < explored(ev3.scenario, ev3.__file__, ["sync"], "exhaustive").executions


def test_criteria_declare_what_they_need():
    assert criterion_class("sync").points == {RELEASE, SET, UP}
    assert criterion_class("hbpair*").points == {SET, UP}
    assert criterion_class("svar").points == {READ}
    # Those that executions of one partial order cannot tell apart never need any.
    assert not [name for name in NAMES if criterion_class(name).by_order and criterion_class(name).points]


class Shared:
    def __init__(self):
        self.x = 0
        self.ok = False
        self.lock = threading.Lock()
        self.event = threading.Event()
        self.full = threading.Semaphore(0)
        self.condition = threading.Condition()
        self.queue = queue.Queue()

    # The set at the end of `first` comes last only if a thread is stopped right after the permit was given.
    def first(self):
        self.full.release()
        self.event.set()

    def second(self):
        self.full.acquire()
        self.event.set()
        self.queue.put(1)

    def third(self):
        self.queue.get()
        self.event.wait()

    # Whether the read of `looks` comes before or after that of `writes`, no thread can tell.
    def writes(self):
        self.x = 1
        return self.x

    def looks(self):
        return self.x

    def locks(self):
        with self.lock:
            self.x = 1
        return self.looks()

    def awaits(self):
        with self.condition:
            while not self.ok:
                self.condition.wait()

    def notifies(self):
        with self.condition:
            self.ok = True
            self.condition.notify()
        self.event.set()


def run(*names):
    def scenario():
        shared = Shared()
        threads = [threading.Thread(target=getattr(shared, name)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return scenario


SCENARIOS = [
    ("first", "second", "third"),
    ("writes", "looks"),
    ("locks", "locks"),
    ("locks", "looks"),
    ("awaits", "notifies"),
    ("awaits", "notifies", "locks"),
]
CRITERIA = [name for name in NAMES if name != "blocks"]


@pytest.mark.parametrize("names", SCENARIOS[:-1], ids="+".join)
def test_what_a_complete_search_covers_a_random_one_covers(names):
    every = explored(run(*names), __file__, CRITERIA, "exhaustive", executions=5000)
    assert every.exhausted
    some = explored(run(*names), __file__, CRITERIA, "random", executions=5000)
    assert [name for name in CRITERIA if covered(some, name) != covered(every, name)] == []


@pytest.mark.parametrize("names", SCENARIOS, ids="+".join)
def test_the_points_that_a_criterion_asks_for_are_enough(names):
    """Measured alone it has the scheduling points that it declares; with all others those of all of them."""
    together = explored(run(*names), __file__, CRITERIA, "exhaustive", executions=20_000)
    assert together.exhausted
    fewer = []
    for name in CRITERIA:
        alone = explored(run(*names), __file__, [name], "exhaustive", executions=20_000)
        if covered(alone, name) != covered(together, name):
            fewer.append(name)
    assert fewer == []


def test_two_reads_come_in_either_order():
    # T1 writes x, then reads it; T2 reads it: before the write, between the two, or after both. T0's write comes first
    # in all orders: with T1's two accesses in one, with T2's one in one.
    result = explored(run("writes", "looks"), __file__, ["svar"], "exhaustive")
    assert len(covered(result, "svar")) == 3 + 1 + 1
