"""The exhaustive search visits each schedule once. The expected numbers are counted by hand.

Scheduling points lie before conflicting accesses and before operations that can block. An operation that enables
others (a release, set, start or end) is a scheduling point only if another thread can observe it without blocking.
A new thread, or a thread that returns from a join, immediately runs up to its next scheduling point. So if one thread
has m points and another has n, and the points can be interleaved freely, there are C(m + n, n) schedules.
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


# Each of two threads reads and writes k times, so it has 2k points.
@pytest.mark.parametrize(("times", "schedules"), [(1, 6), (2, 70), (3, 924)])
def test_two_threads_with_2k_accesses_each_have_4k_choose_2k_schedules(times: int, schedules: int) -> None:
    assert schedules == comb(4 * times, 2 * times)
    result = explored(counted.increments(times))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")


# While one thread holds the lock, the other is blocked, so the scheduler decides only at the k acquires of each thread.
@pytest.mark.parametrize(("times", "schedules"), [(1, 2), (2, 6), (3, 20), (4, 70)])
def test_two_threads_with_k_critical_sections_each_have_2k_choose_k_schedules(times: int, schedules: int) -> None:
    assert schedules == comb(2 * times, times)
    result = explored(counted.locked_increments(times))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")


# Each thread has one point, its write. The schedules are the orders of n writes.
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_n_writers_have_n_factorial_schedules(count: int) -> None:
    result = explored(counted.writers(count))
    assert (result.executions, result.stopped_because) == (factorial(count), "exhausted")


CASES = {
    # As with attributes, each thread reads and writes once, so there are C(4, 2) schedules.
    "global_increments": 6,
    "closure_increments": 6,
    # `get` is one step and the item assignment another, so there are C(4, 2) schedules.
    "dict_increments": 6,
    # Each of the three threads has one step, its append, so there are 3! schedules.
    "three_appends": 6,
    # `c` is the check, and `a` is the act, which happens only if the check found nothing. If one thread runs first, the
    # order is c1 a1 c2 or c2 a2 c1. If both checks come first, the checks have two possible orders and so do the acts.
    # That makes 2 + 2 * 2 schedules.
    "check_then_act": 6,
    # Each thread has its own variable, so nothing conflicts.
    "separate_variables": 1,
    # Reads do not conflict with each other.
    "readers": 1,
    # At its inner acquire a thread already holds the lock, so only the outer acquires count: C(2, 1) schedules.
    "nested_rlock": 2,
    # `set` is not a scheduling point, so it runs immediately. Two threads then wait, read and write, which makes C(6,
    # 3) schedules.
    "released_by_event": 20,
    # `is_set` observes the event without blocking, so `set` is a scheduling point. It comes before or after `is_set`.
    "observed_event": 2,
    # There are two orders of the puts, and the first get comes after one put or after both: 2 * 2.
    "two_producers": 4,
    # If the waiter runs first, it waits, is notified and continues. If the notifier runs first, the waiter need not
    # wait. The scheduler has no choice inside a critical section, nor after the notification, when only the waiter is
    # enabled.
    "condition": 2,
    # The main thread and the other thread read and write once each, so there are C(4, 2) schedules.
    "main_works_too": 6,
    # Each thread is joined before the next one starts, so no accesses conflict.
    "one_after_the_other": 1,
    # The parent's first write comes before the start. Its second write comes before or after the child's write.
    "started_half_way": 2,
    # One thread attempts a nonblocking acquire, so the other thread's release is a scheduling point. The attempt comes
    # before, between or after the other thread's acquire and release. If the attempt comes first, it succeeds and the
    # lock is never released, so the other thread deadlocks.
    "tried_lock": 3,
    # `is_alive` observes the thread, so the thread's end is a scheduling point. It comes before or after `is_alive`.
    "observed_thread": 2,
    # Either one thread takes both locks before the other takes any (2 schedules), or the threads take their first
    # locks, in either order, and then both are blocked (2 deadlocks).
    "crossed_locks": 4,
}
DEADLOCKS = {"crossed_locks", "tried_lock"}


@pytest.mark.parametrize(("name", "schedules"), CASES.items())
def test_a_small_program_has_the_number_of_schedules_counted_by_hand(name: str, schedules: int) -> None:
    result = explored(getattr(counted, name))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")
    assert [finding.kind for finding in result.findings] == ["deadlock"] * (name in DEADLOCKS)


# A semaphore with one permit acts as a lock, so there are 2 schedules. With two permits no thread ever blocks. Each
# thread then acquires, reads and writes, so there are C(6, 3) schedules.
@pytest.mark.parametrize(("permits", "schedules"), [(1, 2), (2, 20)])
def test_the_permits_of_a_semaphore_determine_the_number_of_schedules(permits: int, schedules: int) -> None:
    result = explored(counted.guarded_by_semaphore(permits))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")


# There are n puts and n gets, and at no point have there been more gets than puts. The number of schedules is the n-th
# Catalan number: 1, 2, 5, 14. If the queue has room for only one item, puts and gets alternate.
@pytest.mark.parametrize(("items", "capacity", "schedules"), [(1, 0, 1), (2, 0, 2), (3, 0, 5), (4, 0, 14), (3, 1, 1)])
def test_a_producer_and_a_consumer_have_a_catalan_number_of_schedules(
    items: int, capacity: int, schedules: int
) -> None:
    result = explored(counted.handed_over(items, capacity))
    assert (result.executions, result.stopped_because) == (schedules, "exhausted")


# A schedule of two threads with four points each (two increments) consists of blocks of consecutive steps by one
# thread. A change of thread is a preemption unless the previous thread has ended. With p preemptions there are p + 2
# blocks: one thread has m = p // 2 + 1 of them and the other has n = (p + 1) // 2 + 1. Four points can be divided into
# m blocks in C(3, m - 1) ways, and either thread may begin.
#   p = 0: 1, 1 blocks: 2 * 1 * 1 = 2      p = 1: 2, 1: 2 * 3 * 1 = 6      p = 2: 2, 2: 2 * 3 * 3 = 18
#   p = 3: 3, 2: 2 * 3 * 3 = 18            p = 4: 3, 3: 2 * 3 * 3 = 18     p = 5: 4, 3: 2 * 1 * 3 = 6
#   p = 6: 4, 4: 2 * 1 * 1 = 2             in total 70 = C(8, 4)
@pytest.mark.parametrize(
    ("bound", "schedules"), [(0, 2), (1, 2 + 6), (2, 8 + 18), (3, 26 + 18), (4, 44 + 18), (5, 62 + 6), (6, 68 + 2)]
)
def test_a_preemption_bound_limits_the_number_of_schedules(bound: int, schedules: int) -> None:
    result = explored(counted.increments(2), f"exhaustive:preemptions={bound}")
    assert result.executions == schedules
    # The largest bound is the only one that excludes no schedule.
    assert result.stopped_because == ("exhausted" if bound == 6 else "exhausted-within-bound")


# The search visits the same number of schedules if each execution runs in a child process.
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_isolated_executions_have_the_same_number_of_schedules() -> None:
    result = explored(counted.increments(1), isolate="fork")
    assert (result.executions, result.stopped_because) == (6, "exhausted")
