"""The timeout of `select.select` is virtual in controlled executions."""

from __future__ import annotations

import select
import socket
import threading
import time

import pytest
from controlled import controlled, result_of


@pytest.fixture
def pair():
    one, other = socket.socketpair()
    with one, other:
        yield one, other


def test_a_timeout_takes_virtual_time(pair):
    def scenario():
        start = time.monotonic()
        return select.select([pair[0]], [], [], 86_400), time.monotonic() - start

    ready, elapsed = controlled(scenario)
    assert ready == ([], [], [])
    assert 86_400 <= elapsed < 86_401


def test_data_from_another_thread_ends_the_wait_in_time(pair):
    def scenario():
        thread = threading.Thread(target=lambda: pair[1].send(b"x"))
        thread.start()
        start = time.monotonic()
        ready = select.select(iter([pair[0]]), [], [], 86_400)[0]
        thread.join()
        return ready, time.monotonic() - start

    ready, elapsed = controlled(scenario)
    assert ready == [pair[0]]
    assert elapsed < 1


def test_descriptors_that_are_ready_are_returned_at_once(pair):
    assert controlled(lambda: select.select([], [pair[0]], [], 5)) == ([], [pair[0]], [])


@pytest.mark.parametrize("timeout", [0, -1, "soon"])
def test_other_timeouts_are_those_of_the_real_function(pair, timeout):
    def call():
        return select.select([pair[0]], [], [], timeout)

    assert controlled(lambda: result_of(call)) == result_of(call)
