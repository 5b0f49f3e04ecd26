"""Serial orders, which show whether a failure needs an interleaving at all.

A test that fails in every order has a plain fault, and is easier to understand without a schedule. So before a
failure is called one that threads bring about, it is run in orders without preemption, in which each thread runs until
it ends or is blocked, and in a few at random. Where there are only a few partial orders, all of them are run.
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

MAX_FIRST = 4  # threads that come first in an order of their own
AT_RANDOM = 4  # orders
MAX_ORDERS = 60  # partial orders that are run, to be able to speak of all of them

Choose = Callable[[Sequence[Any], Any], Any]


def orders(threads: int) -> Iterator[Choose]:
    """Serial orders of this many threads: the rehearsal's, the last thread first, some with one before all others."""
    yield Sequential().choose
    yield lambda enabled, running: running if running in enabled else enabled[-1]
    yield lambda enabled, running: enabled[-1]  # a thread runs when it is started
    for index in range(1, min(threads, MAX_FIRST + 1)):
        yield _first(index)


def _first(index: int) -> Choose:
    """The thread of this index runs whenever it can, then the others, the main thread last."""
    return lambda enabled, running: min(enabled, key=lambda one: (one.index != index, one.index == 0, one.index))


def fails_in_every_order(session: Session, kind: str, *, threads: int, seed: int) -> EveryOrder | None:
    """Run serial orders, some at random, and all partial orders if they are few; None if one ends in another way.

    `kind` is that of the failure which the rehearsal, the first of the serial orders, ended in.
    """
    serial = list(orders(threads))
    first = session.run(serial[0]).outcome
    tried: set[tuple[int, ...]] = set()
    serially = 0

    def is_another(outcome: Outcome) -> bool:
        return session.interrupted or outcome.kind != kind or outcome.signature != first.signature

    for number in range(len(serial) + AT_RANDOM):
        walk = RandomWalk(seed)
        walk.begin(number + 1, 0)
        is_serial = number < len(serial)
        execution = session.run(serial[number] if is_serial else walk.choose)
        if is_another(execution.outcome):
            return None
        if execution.decisions not in tried:  # else it was the same order once more
            tried.add(execution.decisions)
            serially += is_serial
    every = EveryOrder(tried=len(tried), serial=serially)
    if session.not_instrumented:  # then nothing is known of all orders
        return every
    return _in_all(session, is_another, every)


def _in_all(session: Session, is_another: Callable[[Outcome], bool], every: EveryOrder) -> EveryOrder | None:
    """Go through all partial orders, if there are only a few: then what was tried is all there is."""
    search = Reachability()
    session.prepare(search)
    space, count = -1, 0
    for number in range(1, MAX_ORDERS + 1):
        version = session.known_points.version
        if not search.begin(number, version):
            return every if search.cut else EveryOrder(tried=count, serial=every.serial, complete=True)
        if version != space:  # something was learnt: the search has begun again
            space, count = version, 0
        count += 1
        if is_another(session.run_for(search).outcome):
            return None
    return every
