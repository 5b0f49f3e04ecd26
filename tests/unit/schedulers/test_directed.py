"""The `directed` scheduler: following a plan, unblocking a thread that the plan needs, and abandoning a plan."""

from __future__ import annotations

import pytest
from fake_threads import Do, run, writes

from raddle.schedulers.directed import SPARE, Directed
from raddle.schedulers.plan import Leg

WRITE_X = 65536 + sum(map(ord, "writex"))
WRITE_Y = 65536 + sum(map(ord, "writey"))


@pytest.mark.parametrize("seed", range(5))
def test_a_thread_stops_before_its_third_write_while_the_other_runs_to_its_end(seed):
    plan = (Leg("T1", "write", WRITE_X, 2, 2), Leg("T2", steps=3), Leg("T1", steps=4))
    directed = Directed(seed, lambda: plan)
    assert run(directed, [writes("x", 4), writes("x", 3)]) == (1, 1, 2, 2, 2, 1, 1)


@pytest.mark.parametrize("seed", range(5))
def test_other_threads_wait_until_the_plan_is_done(seed):
    plan = (Leg("T3", "write", WRITE_X, 1, 1), Leg("T2", steps=2))
    order = run(Directed(seed, lambda: plan), [writes("x", 2), writes("x", 2), writes("x", 2)])
    assert order[:3] == (3, 2, 2)


def test_a_thread_that_holds_a_needed_lock_runs_first():
    # T1 acquires the lock in its first step. T2 needs it next, so T1 must run until it releases the lock.
    first = [Do("acquire", "lock"), *writes("x", 2), Do("release", "lock")]
    second = [Do("acquire", "lock"), *writes("y", 1), Do("release", "lock")]
    plan = (Leg("T1", "write", WRITE_X, 1, 2), Leg("T2", "write", WRITE_Y, 0, 1), Leg("T1", steps=4))
    order = run(Directed(1, lambda: plan), [first, second])
    assert order[:2] == (1, 1)
    assert order.count(1) == 4
    assert order.index(2) > order.index(1)


def test_a_plan_is_abandoned_if_a_thread_never_reaches_its_site():
    plan = (Leg("T1", "write", WRITE_Y, 0, 1), Leg("T2", steps=1))
    directed = Directed(1, lambda: plan)
    order = run(directed, [writes("x", 3 * SPARE), writes("x", 3)])
    assert order.index(2) < 3 * SPARE  # T2 ran before T1 ended, so the plan was abandoned
    assert not directed.followed


def test_without_a_plan_it_is_partial_order_sampling():
    from raddle.schedulers.partial_order_sampling import PartialOrderSampling

    programs = [writes("x", 3), writes("x", 3), writes("y", 2)]
    for number in range(1, 20):
        assert run(Directed(7), programs, number=number) == run(PartialOrderSampling(7), programs, number=number)
