"""The exhaustive search visits each schedule once: as many as can be counted by hand.

Scheduling points lie before accesses in conflict and before what can block. What gives something back (a
release, a set, a start, an end) is one only if somebody looks without blocking. A new thread and one that
returns from a join run at once up to their next point. So with m points in one thread and n in another, free
to run in any order, there are C(m + n, n) schedules.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from math import comb, factorial

import counted
import pytest

import raddle


def explored(
    scenario: Callable[[], object], scheduler: str = "exhaustive", isolate: str | None = None
) -> raddle.Result:
    return raddle.explore(
        scenario,
        scheduler=scheduler,
        executions=None,
        until="budget",
        source=["counted"],
        setup=reset,
        isolate=isolate,
    )


def reset() -> None:
    counted.total = 0


# Two threads read and write k times each: 2k points and 2k points.
@pytest.mark.parametrize(("times", "schedules"), [(1, 6), (2, 70), (3, 924)])
def test_unlocked_increments(times: int, schedules: int) -> None:
    assert schedules == comb(4 * times, 2 * times)
    result = explored(counted.increments(times))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")


# Inside the lock the other thread waits, so there is nothing to decide: k acquires and k acquires.
@pytest.mark.parametrize(("times", "schedules"), [(1, 2), (2, 6), (3, 20), (4, 70)])
def test_locked_increments(times: int, schedules: int) -> None:
    assert schedules == comb(2 * times, times)
    result = explored(counted.locked_increments(times))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")


# Each thread has one point, its write: the orders of n writes.
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_writers(count: int) -> None:
    result = explored(counted.writers(count))
    assert (result.executions, result.stopped_because) == (factorial(count), "exhausted")


CASES = {
    # A read and a write in each thread, as with attributes: C(4, 2).
    "global_increments": 6,
    "closure_increments": 6,
    # get is one step and the item's assignment another: C(4, 2).
    "dict_increments": 6,
    # An append is one step: 3!.
    "three_appends": 6,
    # c is the check, a the act, which only happens if the check found nothing. One thread first: c1 a1 c2 and
    # c2 a2 c1. Both checks first, in two orders, then the acts in two orders: 2 * 2. Together 6.
    "check_then_act": 6,
    # Two variables, each with one thread, no conflict.
    "apart": 1,
    # Reads are no conflict with one another.
    "readers": 1,
    # The inner acquire is by who holds the lock already: one point per thread that can be decided, C(2, 1).
    "nested_rlock": 2,
    # set is no point and runs at once. Then wait, read, write in both others: C(6, 3).
    "released_by_event": 20,
    # is_set looks without blocking, so set is a point: before the look or after it.
    "looked_at_event": 2,
    # p1 and p2 in two orders; the first get after one put or after both: 2 * 2.
    "two_producers": 4,
    # The waiter first: it waits, is told, goes on. The teller first: the waiter need not wait. Inside the lock
    # there is nothing to decide, and who was notified goes on alone.
    "condition": 2,
    # The main thread's read and write against the other's: C(4, 2).
    "main_works_too": 6,
    # Each thread is joined before the next one starts: no conflict is left to turn round.
    "one_after_the_other": 1,
    # The parent's first write comes before the start. Its second against the child's: C(2, 1).
    "started_half_way": 2,
    # Somebody tries the lock, so its release is a point: the attempt among acquire and release, C(3, 1). If it
    # comes first it gets the lock and keeps it: a deadlock.
    "tried_lock": 3,
    # Somebody looks whether the thread is alive, so its end is a point: the look before or after it.
    "looked_after": 2,
    # One thread takes both locks before the other comes: 2. Else each takes its first lock, in two orders, and
    # then nobody can go on: 2 deadlocks.
    "crossed_locks": 4,
}
DEADLOCKS = {"crossed_locks", "tried_lock"}


@pytest.mark.parametrize(("name", "schedules"), CASES.items())
def test_small_programs(name: str, schedules: int) -> None:
    result = explored(getattr(counted, name))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")
    assert [finding.kind for finding in result.findings] == ["deadlock"] * (name in DEADLOCKS)


# One permit is a lock: 2. With two permits nobody ever waits: down, read, write in each thread, C(6, 3).
@pytest.mark.parametrize(("permits", "schedules"), [(1, 2), (2, 20)])
def test_semaphore(permits: int, schedules: int) -> None:
    result = explored(counted.guarded_by_semaphore(permits))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")


# n puts and n gets, never more gets than puts: the n-th Catalan number, 1, 2, 5, 14. If there is room for one
# item only, puts and gets take turns.
@pytest.mark.parametrize(("items", "capacity", "schedules"), [(1, 0, 1), (2, 0, 2), (3, 0, 5), (4, 0, 14), (3, 1, 1)])
def test_queue(items: int, capacity: int, schedules: int) -> None:
    result = explored(counted.handed_over(items, capacity))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")


# Two threads with four points each (two increments), cut into blocks that take turns. A change of thread is a
# preemption unless the thread has ended. With p preemptions there are p + 2 blocks: the thread that begins
# has a = p // 2 + 1 of them and the other b = (p + 1) // 2 + 1, or for odd p the other way round; a thread
# with four points can be cut into a blocks in C(3, a - 1) ways; and either thread may begin.
#   p = 0: 1, 1 blocks: 2 * 1 * 1 = 2      p = 1: 2, 1: 2 * 3 * 1 = 6      p = 2: 2, 2: 2 * 3 * 3 = 18
#   p = 3: 3, 2: 2 * 3 * 3 = 18            p = 4: 3, 3: 2 * 3 * 3 = 18     p = 5: 4, 3: 2 * 1 * 3 = 6
#   p = 6: 4, 4: 2 * 1 * 1 = 2             all together 70 = C(8, 4)
@pytest.mark.parametrize(
    ("bound", "schedules"), [(0, 2), (1, 2 + 6), (2, 8 + 18), (3, 26 + 18), (4, 44 + 18), (5, 62 + 6), (6, 68 + 2)]
)
def test_bounded_preemptions(bound: int, schedules: int) -> None:
    result = explored(counted.increments(2), f"exhaustive:preemptions={bound}")
    assert result.executions == schedules
    # Only with the last bound is nothing left out.
    assert result.stopped_because == ("exhausted" if bound == 6 else "exhausted-within-bound")


# The search is the same if each execution has a process of its own.
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_in_processes_of_their_own() -> None:
    result = explored(counted.increments(1), isolate="fork")
    assert (result.executions, result.stopped_because) == (6, "exhausted")
