"""Primitives that were created before raddle was installed are controlled too."""

from __future__ import annotations

import threading

import early
import pytest

import raddle
from raddle.threads.twins.adopt import adopt, restore_adopted
from raddle.threads.twins.lock import Lock, RLock
from raddle.threads.twins.simple_queue import SimpleQueue


@pytest.mark.parametrize("scenario", [early.locks_exclude, early.other_primitives_work, early.imported_functions])
def test_primitives_created_or_imported_earlier_are_controlled(scenario):
    result = raddle.check(scenario, executions=30, source=["early"])
    assert (result.outcome, result.executions) == ("passed", 30)


def test_primitives_are_real_again_after_a_check():
    for scenario in (early.locks_exclude, early.other_primitives_work):
        raddle.check(scenario, executions=3, source=["early"])
        scenario_with_real_threads = threading.Thread(target=scenario)
        scenario_with_real_threads.start()
        scenario_with_real_threads.join(60)
        assert not scenario_with_real_threads.is_alive()
    assert type(early.LOCK) is type(threading.Lock())
    assert type(early.CONDITION._lock) is type(threading.RLock())
    assert type(early.QUEUE.mutex) is type(threading.Lock())
    assert early.CONDITION.acquire.__self__ is early.CONDITION._lock


def test_a_lock_held_outside_is_held_in_the_execution():
    with early.LOCK:
        assert raddle.check(early.held_outside, executions=3, source=["early"]).outcome == "passed"
    assert not early.LOCK.locked()


def test_each_primitive_has_one_twin_of_the_matching_class():
    try:
        for real, kind in ((early.LOCK, Lock), (early.RLOCK, RLock), (early.SIMPLE, SimpleQueue)):
            twin = adopt(real)
            assert type(twin) is kind
            assert adopt(real) is twin
        assert adopt(early.LOCK) is not adopt(early.LOW_LOCK)
    finally:
        restore_adopted()


def test_outside_an_execution_a_twin_acts_on_the_real_lock():
    try:
        real = threading.Lock()
        twin = adopt(real)
        with twin:
            assert real.locked()
        assert not real.locked()
    finally:
        restore_adopted()
