"""Event loops in controlled threads: each has its own, and sleeps in virtual time."""

from __future__ import annotations

import asyncio
import selectors
import socket
import threading

import greenlet
import pytest
from controlled import controlled_often, outcome_of, said

import raddle
from raddle.threads.twins.asyncio import WAITS_FOR_INPUT


def _in_threads(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_loop_runs_in_each_thread():
    def scenario():
        loops = []

        async def work():
            mine = asyncio.get_running_loop()
            threading.Event().wait(1)  # others go on
            loops.append((mine, asyncio.get_running_loop() is mine, asyncio.get_event_loop() is mine))

        _in_threads(*[lambda: asyncio.run(work())] * 3)
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        return len({id(mine) for mine, _, _ in loops}), [same for _, *same in loops]

    assert controlled_often(scenario, seeds=range(5)) == [(3, [[True, True]] * 3)] * 5
    assert greenlet.gettrace() is None


def test_no_loop_where_none_was_started():
    def scenario():
        heard = []

        async def work():
            threading.Event().wait(1)

        _in_threads(lambda: asyncio.run(work()), lambda: heard.append(said(asyncio.get_running_loop)))
        return heard

    assert set(map(str, controlled_often(scenario))) == {"[('RuntimeError', 'no running event loop')]"}


def test_sleeps_in_virtual_time():
    """An hour passes at once, and who sleeps longer comes later."""

    def scenario():
        order = []

        async def nap(hours):
            await asyncio.sleep(3600 * hours)
            order.append(hours)

        async def both(one, other):
            await asyncio.gather(nap(one), nap(other))

        _in_threads(lambda: asyncio.run(both(4, 1)), lambda: asyncio.run(both(3, 2)))
        return order

    assert controlled_often(scenario, seeds=range(5)) == [[1, 2, 3, 4]] * 5


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


def test_nothing_is_found_where_nothing_is_wrong():
    def scenario():
        async def work():
            await asyncio.sleep(0)

        _in_threads(*[lambda: asyncio.run(work())] * 2)

    assert raddle.explore(scenario, source=[__name__], executions=20).findings == ()


def test_waiting_for_input_is_beyond_control():
    async def wait():
        await asyncio.get_running_loop().create_future()

    outcome = outcome_of(lambda: asyncio.run(wait()))
    assert (outcome.kind, outcome.message) == ("uncontrolled", WAITS_FOR_INPUT)


def test_input_that_is_there_is_taken():
    def scenario():
        one, other = socket.socketpair()
        with one, other, selectors.DefaultSelector() as selector:
            selector.register(one, selectors.EVENT_READ)
            nothing = selector.select(60)
            other.send(b"x")
            return nothing, [key.fileobj is one for key, _ in selector.select()]

    assert controlled_often(scenario, seeds=(1,)) == [([], [True])]


def test_beyond_control_the_second_time_only():
    """The first rehearsal finds something to take, the second waits for more: that is told, not that they differ."""
    one, other = socket.socketpair()
    with one, other, selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ)
        other.send(b"x")

        def scenario():
            selector.select()
            one.recv(1)

        (finding,) = raddle.explore(scenario, source=[__name__]).findings
    assert (finding.kind, finding.message) == ("uncontrolled", WAITS_FOR_INPUT)
