"""The locking iterators in `threading`, which are new in Python 3.15."""

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


def unguarded():
    assert _take_in_two_threads(_numbers([])) == [1, 2]


@pytest.mark.parametrize("scenario", [serialized, decorated, copied])
def test_two_threads_can_share_a_generator_guarded_by_a_lock(scenario):
    result = raddle.explore(scenario, source=[__name__], scheduler="exhaustive", until="exhausted")
    assert (result.findings, result.stopped_because) == ((), "exhausted")


def test_without_the_lock_a_concurrent_next_is_found():
    # The second thread calls `next` while the generator is running in the first thread, so the call raises a
    # ValueError.
    assert raddle.explore(unguarded, source=[__name__], scheduler="exhaustive", until="exhausted").findings


class Ones:
    """An iterator whose `__next__` contains scheduling points, even if the iterator was created before a search."""

    def __init__(self):
        self.calls = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.calls += 1
        return 1


EARLY = {}
if env.ITERATORS_CAN_BE_SERIALIZED:
    EARLY = {"serialized": [threading.serialize_iterator(Ones())] * 2, "copied": threading.concurrent_tee(Ones())}


def _locks():
    return {
        type(getattr(iterator, "_lock", None) or iterator.lock)
        for iterators in EARLY.values()
        for iterator in iterators
    }


@pytest.mark.parametrize("name", ["serialized", "copied"])
def test_an_iterator_created_earlier_is_controlled(name):
    # With the real lock, the second thread would block the OS thread that it shares with the first thread, which is
    # suspended in `Ones.__next__`.
    def scenario():
        assert _take_in_two_threads(*EARLY[name]) == [1, 1]

    before = _locks()
    result = raddle.explore(scenario, source=[__name__], executions=30)
    assert (result.findings, result.executions) == ((), 30)
    assert _locks() == before
