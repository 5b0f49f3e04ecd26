"""Reachability testing visits each partial order once. The expected orders are counted by hand or found by brute force.

Dependence between operations is defined twice: in the search, and in `partial_orders` for brute force. Brute force runs
every interleaving at the finest granularity and groups interleavings that differ only in the order of independent
operations. Outcomes are also compared with the plain exhaustive search, which does not use dependence at all.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, factorial

import counted
import crosschecked
import partial_orders
import pytest
import reachable
import test_counts

import raddle
from raddle.instrument import Selection
from raddle.schedulers.exhaustive import Exhaustive
from raddle.schedulers.wakeup import Branch

SOURCE = ["crosschecked", *reachable.SOURCES]
SELECTION = Selection(sources=tuple(SOURCE))


def visited(scenario: Callable[[], object]) -> raddle.Result:
    return raddle.explore(scenario, scheduler="reachability", until="exhausted", source=SOURCE, setup=reset)


def reset() -> None:
    counted.total = 0


# Each of two threads reads and writes k times. The expected numbers are those that public tools report. The number for
# k = 1 can be counted by hand. If one thread runs after the other, there are 2 orders. If both read first, they write
# in either order, which gives 2 more.
@pytest.mark.parametrize(("times", "orders"), [(1, 4), (2, 34), (3, 328)])
def test_unlocked_increments_have_as_many_partial_orders_as_other_tools_report(times: int, orders: int) -> None:
    result = visited(counted.increments(times))
    assert (result.executions, result.stopped_because) == (orders, "exhausted")


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_two_threads_with_k_critical_sections_each_have_2k_choose_k_partial_orders(times: int) -> None:
    # Each partial order is an interleaving of the k critical sections of one thread with those of the other.
    assert visited(counted.locked_increments(times)).executions == comb(2 * times, times)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_n_writers_have_n_factorial_partial_orders(count: int) -> None:
    assert visited(counted.writers(count)).executions == factorial(count)


CROSSCHECKED = [
    # Each entry contains the number of orders counted by hand and the number that SimGrid's model checker reports.
    # These two numbers differ only for some programs with semaphores. In SimGrid an acquire is two transitions, a
    # request and a wait, and the order of requests and releases matters. In raddle an acquire is one operation that is
    # enabled by one particular release. SimGrid's numbers changed with its definition of dependence: 96 became 48, and
    # 480 became 417.
    #
    # Each philosopher locks the table while taking the forks, so only the order of the 4 philosophers matters.
    ("philosophers_mutex_ok", crosschecked.philosophers_with_mutex(4), factorial(4), 24),
    # The philosophers sit down in 3! orders. The third, C, needs the seat of one of the first two, X: 2 ways. So X has
    # already used the fork that it shares with C. X and the other philosopher, Y, use their shared fork in either
    # order, and so do Y and C. But Y before X and C before Y cannot both hold, because C comes after X: 3 ways. Y and C
    # get up in either order: 2 ways. That makes 6 * 2 * 3 * 2.
    ("philosophers_semaphores_ok", crosschecked.philosophers_with_semaphore(3), 72, 96),
    # With room for one item, puts and gets alternate. Two producers with two items each can put them in C(4, 2) orders,
    # and two consumers can get them in C(4, 2) orders.
    (
        "producer_consumer_ok",
        crosschecked.producers_and_consumers(2, 2, items=2, room=1),
        comb(4, 2) ** 2,
        36,
    ),
    # A thread takes the second lock only while it holds the first, so only the order of the 4 threads matters.
    ("simple_mutex_with_threads_ok", crosschecked.two_mutexes(4), factorial(4), 24),
    # The threads become ready in any order and pass the mutex in any order.
    ("simple_cond_broadcast_ok", crosschecked.broadcast(3), factorial(3) ** 2, 480),
    # The customers enter in 4! orders. Two customers wait at a time, and either of them may be next, until only the
    # last one is left: 2³.
    ("barber_shop_ok", crosschecked.barber_shop(4, chairs=2), factorial(4) * 2**3, 1152),
]
AGREE = {"philosophers_mutex_ok", "producer_consumer_ok", "simple_mutex_with_threads_ok"}


@pytest.mark.parametrize(("name", "scenario", "orders", "theirs"), CROSSCHECKED, ids=[case[0] for case in CROSSCHECKED])
def test_partial_orders_agree_with_the_count_by_hand_and_with_simgrid(
    name: str, scenario: Callable[[], None], orders: int, theirs: int
) -> None:
    assert (orders == theirs) == (name in AGREE)
    result = visited(scenario)
    assert (result.executions, result.stopped_because, result.findings) == (orders, "exhausted", ())


PROGRAMS = {
    **{program.__name__: program for program in reachable.PROGRAMS},
    **{name: getattr(counted, name) for name in test_counts.CASES},
    "two increments": counted.increments(1),
    "four locked increments": counted.locked_increments(2),
    "four writers": counted.writers(4),
    "one permit": counted.guarded_by_semaphore(1),
    "two permits": counted.guarded_by_semaphore(2),
    "handed over": counted.handed_over(2, 0),
    "handed over one by one": counted.handed_over(3, 1),
    "two philosophers": crosschecked.philosophers_with_semaphore(2),
    "one producer": crosschecked.producers_and_consumers(1, 1, items=1, room=1),
    "a broadcast to two": crosschecked.broadcast(2),
    "one customer": crosschecked.barber_shop(1, chairs=1),
}
# These programs have too many interleavings for brute force in every test run, so brute force was run on them only
# once.
LARGE = {"two_locks", "made_by_threads", "one_in_the_pool", "three_at_the_table"}


def test_at_least_40_programs_are_compared() -> None:
    assert len(PROGRAMS) >= 40


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_partial_order_is_visited_once(name: str) -> None:
    with partial_orders.prepared(PROGRAMS[name], selection=SELECTION, setup=reset) as session:
        plain = partial_orders.explore(session, Exhaustive())  # must be first: the other searches add scheduling points
        found = partial_orders.explore(session, partial_orders.Visiting())
        assert plain.complete
        assert found.complete
        assert not found.search.cut
        assert found.search.redundant == 0
        assert set(found.orders.values()) == {1}
        assert found.outcomes == plain.outcomes
        if name not in LARGE:
            every = partial_orders.explore(session, partial_orders.BruteForce())
            assert every.complete
            assert found.orders.keys() == every.orders.keys()
            assert found.outcomes == every.outcomes


def test_the_memory_of_the_search_is_bounded() -> None:
    # During 328 executions of 14 operations each, the search keeps only one path with its sleep sets and its wakeup
    # tree.
    search = partial_orders.Visiting()
    sizes: list[int] = []

    def size(branches: list[Branch]) -> int:
        return sum(1 + size(branch.after) for branch in branches)

    def measure(outcome: object) -> None:
        nodes = search._path
        sizes.append(sum(1 + len(node.sleeping) + size(node.branches) + size(node.after) for node in nodes))

    with partial_orders.prepared(counted.increments(3), selection=SELECTION) as session:
        found = partial_orders.explore(session, search, ended=measure)
    assert len(found.orders) == len(sizes) == 328
    assert max(sizes) < 150
