"""Iterative context bounding runs every schedule exactly once, those with fewer preemptions first."""

from __future__ import annotations

import copy
import threading

import pytest
from fake_threads import Do, every_order, preemptions, run, writes

import raddle
from raddle.schedulers import make_scheduler
from raddle.schedulers.deepening import Deepening
from raddle.schedulers.exhaustive import Exhaustive

LOCKED = [Do("acquire", "l"), Do("write", "x"), Do("release", "l"), Do("write", "y")]


def all_runs(search, programs):
    found = []
    while (order := run(search, programs, number=len(found) + 1)) is not None:
        found.append(order)
    return found


@pytest.mark.parametrize("steps", [(1, 1), (2, 3), (2, 2, 1), (1, 1, 1, 1), (4, 4), (3, 2, 2)])
def test_every_order_is_run_once_fewest_preemptions_first(steps):
    found = all_runs(Deepening(), [writes("x", count) for count in steps])
    assert len(found) == len(set(found))
    assert set(found) == every_order(*steps)
    assert [preemptions(order) for order in found] == sorted(preemptions(order) for order in found)


@pytest.mark.parametrize("programs", [[LOCKED, LOCKED], [LOCKED, writes("x", 2), LOCKED[:3]]])
def test_with_blocking_threads_it_finds_the_same_orders_as_depth_first_search(programs):
    found = all_runs(Deepening(), programs)
    assert len(found) == len(set(found))
    assert set(found) == set(all_runs(Exhaustive(), programs))


@pytest.mark.parametrize("bound", [0, 1, 2, 3, 4])
def test_a_bound_limits_preemptions_and_is_reported(bound):
    # Threads with two and three steps are preempted at most 3 times, as in 2 1 2 1 2. A switch after a thread's last
    # step is not a preemption.
    search = Deepening(preemptions=bound)
    found = all_runs(search, [writes("x", 2), writes("x", 3)])
    assert sorted(found) == sorted(order for order in every_order(2, 3) if preemptions(order) <= bound)
    assert search.cut == (bound < 3)


def test_the_current_bound_equals_the_number_of_preemptions():
    search = Deepening()
    reached = []
    while (order := run(search, [writes("x", 2), writes("x", 2)], number=1)) is not None:
        reached.append((search.bound, preemptions(order)))
    assert all(bound == count for bound, count in reached)
    assert search.cut is False


def test_the_search_restarts_when_scheduling_points_are_added():
    search = Deepening()
    two = [writes("x", 1), writes("x", 1)]
    assert run(search, two, space=0) == (1, 2)
    more = [writes("x", 2), writes("x", 1)]
    found = [run(search, more, number=2 + at, space=1) for at in range(3)]
    assert set(found) == every_order(2, 1)
    assert run(search, more, number=9, space=1) is None


def test_the_memory_of_a_child_process_advances_the_search():
    search = Deepening()
    programs = [writes("x", 2), writes("x", 2), writes("x", 1)]
    orders = []
    while search.begin(len(orders) + 1, 0):
        child = copy.deepcopy(search)  # the copy a forked child would have; its choices do not affect the parent
        child.begin = lambda number, space: True
        child.end = lambda: None
        orders.append(run(child, programs))
        search.remember(child.memory())
        search.end()
    assert len(orders) == len(set(orders)) == 30  # 5! / (2! 2! 1!)


class Counter:
    def __init__(self):
        self.n = 0

    def add(self):
        value = self.n
        self.n = value + 1


def increments():
    counter = Counter()
    threads = [threading.Thread(target=counter.add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_on_real_threads_it_runs_as_many_schedules_as_depth_first_search():
    # Three threads with a read and a write each: 6! / (2! 2! 2!) = 90 interleavings.
    result = raddle.explore(increments, scheduler="deepening", until="exhausted", source=[__name__])
    assert (result.executions, result.stopped_because) == (90, "exhausted")


def test_a_bounded_search_reports_exhausted_within_bound():
    # Without preemptions only the order of the threads varies: 3! = 6.
    result = raddle.explore(increments, scheduler="deepening:preemptions=0", until="exhausted", source=[__name__])
    assert (result.executions, result.stopped_because) == (6, "exhausted-within-bound")


def test_the_scheduler_is_available_by_name():
    assert isinstance(make_scheduler("deepening", seed=1), Deepening)
