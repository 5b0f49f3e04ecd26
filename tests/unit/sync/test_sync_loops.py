"""Event loops in controlled threads: each thread has its own loop, which sleeps in virtual time."""

from __future__ import annotations

import asyncio
import selectors
import socket
import threading

import greenlet
import pytest
from controlled import controlled_with_seeds, outcome_of, result_of

import raddle
from raddle.threads.twins.asyncio import WAITS_FOR_INPUT


def _in_threads(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_each_thread_runs_its_own_loop():
    def scenario():
        loops = []

        async def work():
            mine = asyncio.get_running_loop()
            threading.Event().wait(1)  # lets the other threads run
            loops.append((mine, asyncio.get_running_loop() is mine, asyncio.get_event_loop() is mine))

        _in_threads(*[lambda: asyncio.run(work())] * 3)
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return len({id(mine) for mine, _, _ in loops}), [same for _, *same in loops]

    assert controlled_with_seeds(scenario, seeds=range(5)) == [(3, [[True, True]] * 3)] * 5
    assert greenlet.gettrace() is None


def test_a_thread_without_a_loop_has_no_running_loop():
    def scenario():
        results = []

        async def work():
            threading.Event().wait(1)

        _in_threads(lambda: asyncio.run(work()), lambda: results.append(result_of(asyncio.get_running_loop)))
        return results

    assert set(map(str, controlled_with_seeds(scenario))) == {"[('RuntimeError', 'no running event loop')]"}


def test_loops_sleep_in_virtual_time():
    """Hours of virtual time take no real time, and sleeps end in the order of their length."""

    def scenario():
        order = []

        async def sleep_hours(hours):
            await asyncio.sleep(3600 * hours)
            order.append(hours)

        async def both(one, other):
            await asyncio.gather(sleep_hours(one), sleep_hours(other))

        _in_threads(lambda: asyncio.run(both(4, 1)), lambda: asyncio.run(both(3, 2)))
        return order

    assert controlled_with_seeds(scenario, seeds=range(5)) == [[1, 2, 3, 4]] * 5


class Box:
    def __init__(self):
        self.n = 0


def test_a_lost_update_across_an_await_is_found():
    def scenario():
        box = Box()

        async def add():
            seen = box.n
            await asyncio.sleep(1)
            box.n = seen + 1

        _in_threads(*[lambda: asyncio.run(add())] * 2)
        assert box.n == 2

    assert raddle.explore(scenario, source=[__name__]).findings[0].kind == "assertion"


def test_two_correct_loops_give_no_finding():
    def scenario():
        async def work():
            await asyncio.sleep(0)

        _in_threads(*[lambda: asyncio.run(work())] * 2)

    assert raddle.explore(scenario, source=[__name__], executions=20).findings == ()


def test_waiting_for_input_is_reported_as_uncontrolled():
    async def wait():
        await asyncio.get_running_loop().create_future()

    outcome = outcome_of(lambda: asyncio.run(wait()))
    assert (outcome.kind, outcome.message) == ("uncontrolled", WAITS_FOR_INPUT)


def test_select_returns_input_that_is_already_available():
    def scenario():
        one, other = socket.socketpair()
        with one, other, selectors.DefaultSelector() as selector:
            selector.register(one, selectors.EVENT_READ)
            nothing = selector.select(60)
            other.send(b"x")
            return nothing, [key.fileobj is one for key, _ in selector.select()]

    assert controlled_with_seeds(scenario, seeds=(1,)) == [([], [True])]


def test_waiting_for_input_only_in_the_second_rehearsal_is_reported_as_uncontrolled():
    """The first rehearsal reads the input and the second waits for more.

    The finding reports the wait for input, not a divergence.
    """
    one, other = socket.socketpair()
    with one, other, selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ)
        other.send(b"x")

        def scenario():
            selector.select()
            one.recv(1)

        (finding,) = raddle.explore(scenario, source=[__name__]).findings
    assert (finding.kind, finding.message) == ("uncontrolled", WAITS_FOR_INPUT)
