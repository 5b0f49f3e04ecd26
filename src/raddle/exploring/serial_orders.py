"""Serial orders, which show whether a failure depends on the interleaving.

A test that fails in every order has an ordinary bug, which is easier to understand without a schedule. So before raddle
blames the interleaving, it runs the scenario in serial orders and in a few random orders. In a serial order, each
thread runs until it ends or blocks. If there are only a few partial orders, raddle runs all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from raddle.every_order import EveryOrder
from raddle.execute.session import Session
from raddle.outcome import Outcome
from raddle.schedulers.random_walk import RandomWalk
from raddle.schedulers.reachability import Reachability
from raddle.schedulers.sequential import Sequential

MAX_FIRST = 4  # maximum number of serial orders that prefer one thread
RANDOM_ORDERS = 4  # number of random orders to try
MAX_ORDERS = 60  # maximum number of partial orders to run

Choose = Callable[[Sequence[Any], Any], Any]


def orders(threads: int) -> Iterator[Choose]:
    """Yield serial orders: the order of the rehearsal, two that prefer new threads, and some that prefer one thread."""
    yield Sequential().choose
    yield lambda enabled, running: running if running in enabled else enabled[-1]
    yield lambda enabled, running: enabled[-1]  # each thread runs as soon as it is started
    for index in range(1, min(threads, MAX_FIRST + 1)):
        yield _first(index)


def _first(index: int) -> Choose:
    """Return an order in which the thread with this index runs whenever it can, and the main thread runs last."""
    return lambda enabled, running: min(enabled, key=lambda one: (one.index != index, one.index == 0, one.index))


def fails_in_every_order(session: Session, kind: str, *, threads: int, seed: int) -> EveryOrder | None:
    """Run serial and random orders, and all partial orders if there are few.

    Return how many orders were run, or None if any execution passed, failed in a different way or was interrupted.
    `kind` is the kind of failure with which the rehearsal ended. The rehearsal ran the first serial order.
    """
    serial = list(orders(threads))
    first = session.run(serial[0]).outcome
    tried: set[tuple[int, ...]] = set()
    serial_orders = 0

    def ends_differently(outcome: Outcome) -> bool:
        return session.interrupted or outcome.kind != kind or outcome.signature != first.signature

    for number in range(len(serial) + RANDOM_ORDERS):
        walk = RandomWalk(seed)
        walk.begin(number + 1, 0)
        is_serial = number < len(serial)
        execution = session.run(serial[number] if is_serial else walk.choose)
        if ends_differently(execution.outcome):
            return None
        if execution.decisions not in tried:  # otherwise this order has already been run
            tried.add(execution.decisions)
            serial_orders += is_serial
    every = EveryOrder(tried=len(tried), serial=serial_orders)
    if session.not_instrumented:  # code that is not instrumented may allow further orders
        return every
    return _in_all_partial_orders(session, ends_differently, every)


def _in_all_partial_orders(
    session: Session, ends_differently: Callable[[Outcome], bool], every: EveryOrder
) -> EveryOrder | None:
    """Run all partial orders if there are at most `MAX_ORDERS`, so that the result holds for every order."""
    search = Reachability()
    session.prepare(search)
    space, count = -1, 0
    for number in range(1, MAX_ORDERS + 1):
        version = session.known_points.version
        if not search.begin(number, version):
            return every if search.cut else EveryOrder(tried=count, serial=every.serial, complete=True)
        if version != space:  # a new scheduling point was discovered, so the search starts over
            space, count = version, 0
        count += 1
        if ends_differently(session.run_for(search).outcome):
            return None
    return every
