"""Primitives that exist before raddle comes are under control too."""

from __future__ import annotations

import threading

import early
import pytest

import raddle
from raddle.threads.twins.adopt import adopt, restore_adopted
from raddle.threads.twins.lock import Lock, RLock
from raddle.threads.twins.simple_queue import SimpleQueue


@pytest.mark.parametrize("scenario", [early.locks_exclude, early.others_work, early.caught_functions])
def test_made_or_caught_earlier(scenario):
    result = raddle.check(scenario, executions=30, source=["early"])
    assert (result.outcome, result.executions) == ("passed", 30)


def test_real_again_afterwards():
    for scenario in (early.locks_exclude, early.others_work):
        raddle.check(scenario, executions=3, source=["early"])
        scenario_with_real_threads = threading.Thread(target=scenario)
        scenario_with_real_threads.start()
        scenario_with_real_threads.join(60)
        assert not scenario_with_real_threads.is_alive()
    assert type(early.LOCK) is type(threading.Lock())
    assert type(early.CONDITION._lock) is type(threading.RLock())
    assert type(early.QUEUE.mutex) is type(threading.Lock())
    assert early.CONDITION.acquire.__self__ is early.CONDITION._lock


def test_one_held_outside_is_held_inside():
    with early.LOCK:
        assert raddle.check(early.held_outside, executions=3, source=["early"]).outcome == "passed"
    assert not early.LOCK.locked()


def test_the_twin_of_each_is_of_its_kind_and_always_the_same():
    try:
        for real, kind in ((early.LOCK, Lock), (early.RLOCK, RLock), (early.SIMPLE, SimpleQueue)):
            twin = adopt(real)
            assert type(twin) is kind
            assert adopt(real) is twin
        assert adopt(early.LOCK) is not adopt(early.LOW)
    finally:
        restore_adopted()


def test_twins_act_on_the_real_one_outside():
    try:
        real = threading.Lock()
        twin = adopt(real)
        with twin:
            assert real.locked()
        assert not real.locked()
    finally:
        restore_adopted()
