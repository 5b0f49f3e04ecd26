"""Criteria add scheduling points, so that a random search can cover everything that an exhaustive search covers."""

import queue
import threading

import pytest
from measured_programs import program

import raddle
from raddle.criteria import THREADS as NAMES
from raddle.criteria import criterion_class
from raddle.operation import READ, RELEASE, SET, UP

ev3 = program("ev3")


def explored(scenario, file, criteria, scheduler, **options):
    return raddle.explore(
        scenario, criteria=criteria, scheduler=scheduler, source=[file], until="budget", seed=1, **options
    )


def covered(result, criterion):
    return set(result.record.tally.covered[criterion])


# The steps of ev3.py that `concur-pairs` monitors, by thread:
#     T0  init: ready = False, start, start, join T1, join T2
#     T1  acquire, read ready, release; then wait if ready was true
#     T2  acquire', write ready, release', set
# Acquire and release share the site of their `with`: "lock" in T1, "lock'" in T2. Both starts share a site, and so do
# both joins.
# Consecutive steps of one thread: T0 init-start, start-start, join-join; T1 lock-read, read-lock, lock-wait; T2
# lock'-write, write-lock', lock'-set. That makes 9 pairs without a switch.
# With a switch in between: start-lock, start-lock' (2). From T1 to T2: lock-lock' (a release, then an acquire),
# lock-set, read-set (3). While T1 holds the lock, T2 can only set the event. From T2 to T1: lock'-lock, set-lock,
# set-read, set-wait (4). T1 can end first, and T0 can join it at any point in T2: lock-join, wait-join (2), join-lock',
# join-write, join-set (3), lock'-join, write-join, set-join (3). That makes 17 pairs with a switch, and 26 in all.
CONCURRENT_PAIRS = 9 + 17

# The situation "visited" can occur at both `with` statements, `wait` and `set` (4). The situation "blocked" can occur
# at both `with` statements, and at `wait` if T1 reaches it between release' and set (3). The situation "blocking" can
# occur at both `with` statements (2).
SYNC = 4 + 3 + 2


@pytest.mark.parametrize("scheduler", ["random", "pct", "pos", "surw", "portfolio", "exhaustive", "reachability"])
def test_every_scheduler_covers_switches_around_a_release_and_a_set(scheduler):
    result = explored(ev3.scenario, ev3.__file__, ["sync", "concur-pairs"], scheduler, executions=1000)
    assert len(covered(result, "concur-pairs")) == CONCURRENT_PAIRS
    assert len(covered(result, "sync")) == SYNC


def test_an_exhausted_search_reports_the_same_totals_as_exact():
    for scheduler in ("exhaustive", "reachability"):
        result = explored(ev3.scenario, ev3.__file__, ["sync", "concur-pairs"], scheduler)
        totals = {name: (row["total"], row["total_kind"]) for name, row in result.criteria.items()}
        assert totals == {"sync": (SYNC, "exact"), "concur-pairs": (CONCURRENT_PAIRS, "exact")}


def test_a_search_without_these_criteria_has_fewer_scheduling_points():
    # `map` needs only accesses. T1 has scheduling points at its acquire and its read, but not at its release. T2 has
    # them at its acquire and its write. T0's join of T1 is a scheduling point only if T1 has not ended yet.
    measured = explored(ev3.scenario, ev3.__file__, ["map"], "exhaustive")
    assert criterion_class("map").points == frozenset()
    assert measured.executions < explored(ev3.scenario, ev3.__file__, ["sync"], "exhaustive").executions


def test_criteria_declare_the_scheduling_points_they_need():
    assert criterion_class("sync").points == {RELEASE, SET, UP}
    assert criterion_class("hbpair*").points == {SET, UP}
    assert criterion_class("svar").points == {READ}
    # Criteria that depend only on the partial order never need additional points.
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

    # The call to `set` in `first` can come last only if `first` is preempted right after the release.
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

    # No thread can observe whether the read in `reads` comes before or after the read in `writes`.
    def writes(self):
        self.x = 1
        return self.x

    def reads(self):
        return self.x

    def locks(self):
        with self.lock:
            self.x = 1
        return self.reads()

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
    ("writes", "reads"),
    ("locks", "locks"),
    ("locks", "reads"),
    ("awaits", "notifies"),
    ("awaits", "notifies", "locks"),
]
CRITERIA = [name for name in NAMES if name != "blocks"]


@pytest.mark.parametrize("names", SCENARIOS[:-1], ids="+".join)
def test_a_random_search_covers_what_an_exhaustive_search_covers(names):
    exhaustive = explored(run(*names), __file__, CRITERIA, "exhaustive", executions=5000)
    assert exhaustive.exhausted
    sampled = explored(run(*names), __file__, CRITERIA, "random", executions=5000)
    assert [name for name in CRITERIA if covered(sampled, name) != covered(exhaustive, name)] == []


@pytest.mark.parametrize("names", SCENARIOS, ids="+".join)
def test_the_declared_scheduling_points_of_each_criterion_are_enough(names):
    """Measure each criterion alone, with only its own scheduling points, and together with all others.

    Both searches must cover the same requirements.
    """
    together = explored(run(*names), __file__, CRITERIA, "exhaustive", executions=20_000)
    assert together.exhausted
    fewer = []
    for name in CRITERIA:
        alone = explored(run(*names), __file__, [name], "exhaustive", executions=20_000)
        if covered(alone, name) != covered(together, name):
            fewer.append(name)
    assert fewer == []


def test_an_exhaustive_search_covers_both_orders_of_two_reads():
    # T1 writes x, then reads it. T2 reads x before the write, between the two accesses, or after both: 3 orders. T0's
    # write always comes first, which gives 1 order with T1 and 1 with T2.
    result = explored(run("writes", "reads"), __file__, ["svar"], "exhaustive")
    assert len(covered(result, "svar")) == 3 + 1 + 1
