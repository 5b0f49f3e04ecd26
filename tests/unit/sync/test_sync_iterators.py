"""Iterators with a lock of their own, which `threading` has since 3.15."""

from __future__ import annotations

import threading

import pytest

import raddle
from raddle import env

pytestmark = pytest.mark.skipif(not env.ITERATORS_CAN_BE_SERIALIZED, reason="needs threading.serialize_iterator")


def _numbers(log):
    for number in (1, 2, 3, 4):
        log.append(number)
        yield number


def _take_in_two_threads(iterator, other=None):
    taken = []
    threads = [threading.Thread(target=lambda it=it: taken.append(next(it))) for it in (iterator, other or iterator)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(taken)


def serialized():
    assert _take_in_two_threads(threading.serialize_iterator(_numbers([]))) == [1, 2]


def decorated():
    assert _take_in_two_threads(threading.synchronized_iterator(_numbers)([])) == [1, 2]


def copied():
    assert _take_in_two_threads(*threading.concurrent_tee(_numbers([]))) == [1, 1]


def bare():
    assert _take_in_two_threads(_numbers([])) == [1, 2]


@pytest.mark.parametrize("scenario", [serialized, decorated, copied])
def test_threads_take_from_a_guarded_generator(scenario):
    result = raddle.explore(scenario, source=[__name__], scheduler="exhaustive", until="exhausted")
    assert (result.findings, result.stopped_because) == ((), "exhausted")


def test_without_the_lock_they_meet_in_the_generator():
    # The second thread asks for an item while the first is inside: ValueError, generator already executing.
    assert raddle.explore(bare, source=[__name__], scheduler="exhaustive", until="exhausted").findings


class Ones:
    """An iterator whose code is probed even if it was made before."""

    def __init__(self):
        self.asked = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.asked += 1
        return 1


EARLY = {}
if env.ITERATORS_CAN_BE_SERIALIZED:
    EARLY = {"serialized": [threading.serialize_iterator(Ones())] * 2, "copied": threading.concurrent_tee(Ones())}


def _locks():
    return {type(getattr(each, "_lock", None) or each.lock) for several in EARLY.values() for each in several}


@pytest.mark.parametrize("name", ["serialized", "copied"])
def test_one_made_earlier_is_controlled(name):
    # With its real lock, the second thread would block for real while the first is stopped in Ones.__next__.
    def scenario():
        assert _take_in_two_threads(*EARLY[name]) == [1, 1]

    before = _locks()
    result = raddle.explore(scenario, source=[__name__], executions=30)
    assert (result.findings, result.executions) == ((), 30)
    assert _locks() == before
