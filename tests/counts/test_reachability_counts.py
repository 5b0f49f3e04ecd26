"""Reachability testing visits each partial order once: as many as can be counted by hand, and those of brute force.

Which operations depend on each other is told twice: by the search, and by `partial_orders` for the brute force, which
runs every interleaving at the finest grain and keeps those that differ in more than how independent operations are
sorted. What executions end in is compared with that of the plain exhaustive search besides, which knows nothing of
dependence.
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


# Two threads read and write k times each. The figures are those of the public tools; 4 for k = 1 by hand: one thread
# after the other, 2; both read first, then the writes in either order, 2.
@pytest.mark.parametrize(("times", "orders"), [(1, 4), (2, 34), (3, 328)])
def test_unlocked_increments(times: int, orders: int) -> None:
    result = visited(counted.increments(times))
    assert (result.executions, result.stopped_because) == (orders, "exhausted")


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_locked_increments(times: int) -> None:
    # The orders of k critical sections in one thread and k in the other.
    assert visited(counted.locked_increments(times)).executions == comb(2 * times, times)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_writers(count: int) -> None:
    assert visited(counted.writers(count)).executions == factorial(count)


CROSSCHECKED = [
    # By hand, and what SimGrid's model checker says. Where the two differ, it is about semaphores: there a take is two
    # transitions, a request and a wait, and requests are ordered with gives; here it is one operation that needs one
    # certain give. Its own figures changed as its notion of dependence did: 96 became 48, and 480 became 417.
    #
    # The table is held while forks are taken: the orders of 4 philosophers.
    ("philosophers_mutex_ok", crosschecked.philosophers_with_mutex(4), factorial(4), 24),
    # Who sits down in which order: 3!. The third one, C, needs the seat of one of the first two, X: 2 ways; so X has
    # had the fork that it shares with C. The fork of X and the other, Y, in either order; that of Y and C in either
    # order; but not first Y, then X, and first C, then Y, as C comes after X: 3 ways. Y and C get up in either
    # order: 2. Together 6 * 2 * 3 * 2.
    ("philosophers_semaphores_ok", crosschecked.philosophers_with_semaphore(3), 72, 96),
    # Room for one item: puts and gets take turns. Two producers of two items each and two consumers likewise: C(4, 2)².
    (
        "producer_consumer_ok",
        crosschecked.producers_and_consumers(2, 2, items=2, room=1),
        comb(4, 2) ** 2,
        36,
    ),
    # The second lock is only taken by who has the first: the orders of 4 threads.
    ("simple_mutex_with_threads_ok", crosschecked.two_mutexes(4), factorial(4), 24),
    # They get ready in some order, and pass the mutex in some other.
    ("simple_cond_broadcast_ok", crosschecked.broadcast(3), factorial(3) ** 2, 480),
    # They enter in some order: 4!. Two wait at a time, and either of them may be next, the last one alone: 2³.
    ("barber_shop_ok", crosschecked.barber_shop(4, chairs=2), factorial(4) * 2**3, 1152),
]
AGREE = {"philosophers_mutex_ok", "producer_consumer_ok", "simple_mutex_with_threads_ok"}


@pytest.mark.parametrize(("name", "scenario", "orders", "theirs"), CROSSCHECKED, ids=[case[0] for case in CROSSCHECKED])
def test_what_others_counted(name: str, scenario: Callable[[], None], orders: int, theirs: int) -> None:
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
# Too many interleavings to run here; it has been done once.
LARGE = {"two_locks", "made_by_threads", "one_in_the_pool", "three_at_the_table"}


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) >= 40


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_partial_order_once(name: str) -> None:
    with partial_orders.prepared(PROGRAMS[name], selection=SELECTION, setup=reset) as session:
        plain = partial_orders.explore(session, Exhaustive())  # first: the others want more to be a step
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


def test_memory_is_bounded() -> None:
    # 328 executions of 14 operations: what is kept is a path, who sleeps along it, and what is planned.
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
