"""Descriptions of waiting threads name locks in the same way as the steps do."""

from __future__ import annotations

from sample_findings import contents

from raddle.event import Event
from raddle.operation import ACQUIRE, JOIN, WAIT
from raddle.place import Place
from raddle.report.lock_names import with_names
from raddle.report.stored_findings import stored_findings
from raddle.wait import Lock, Wait


def at(line):
    return Place("m.py", line)


def lock_step(thread, lock, line, kind="acquire"):
    return Event(thread, kind, lock, 0, "m.py", line)


def waits(thread, lock, holder, place, *held):
    own = tuple(Lock(name, at(line)) for name, line in held)
    return Wait(thread, ACQUIRE, lock, holder, at(place), at(50), own)


def test_a_lock_is_identified_by_its_holder_and_place():
    steps = [lock_step("T1", "Lock 3", 9), lock_step("T2", "Lock 1", 9), lock_step("T2", "RLock 1", 9)]
    assert with_names([waits("T1", "Lock", "T2", 9, ("Lock", 9))], steps) == (
        waits("T1", "Lock 1", "T2", 9, ("Lock 3", 9)),
    )


def test_a_released_lock_is_not_considered():
    steps = [lock_step("T2", "Lock 1", 9), lock_step("T2", "Lock 1", 10, "release"), lock_step("T2", "Lock 2", 9)]
    steps += [lock_step("T1", "Lock 1", 7), lock_step("T3", "Lock 2", 8, "try-acquire")]  # T3 did not acquire it
    assert with_names([waits("T1", "Lock", "T2", 9, ("Lock", 7))], steps) == (
        waits("T1", "Lock 2", "T2", 9, ("Lock 1", 7)),
    )


def test_two_locks_acquired_on_one_line_are_named_only_if_unambiguous():
    """It is unknown which lock T1 is waiting for. The locks that T2 holds are listed in the order it acquired them."""
    steps = [lock_step("T2", "Lock 2", 9), lock_step("T2", "Lock 1", 9)]
    both = [
        waits("T1", "Lock", "T2", 9, ("Lock", 30)),
        waits("T2", "Lock", "T1", 30, ("Lock", 9), ("Lock", 9)),
    ]
    assert with_names(both, steps) == (both[0], waits("T2", "Lock", "T1", 30, ("Lock 2", 9), ("Lock 1", 9)))


def test_a_condition_is_named_by_its_wait():
    wait = Wait("T1", WAIT, "Condition", place=at(28))
    steps = [lock_step("T1", "Condition 2", 28, "wait"), lock_step("T2", "Condition 1", 30, "notify")]
    assert [str(named) for named in with_names([wait], steps)] == [
        "T1 waits at m.py:28 for a notification on Condition 2"
    ]
    assert with_names([wait], steps[1:]) == (wait,)


def test_a_wait_for_the_end_of_a_thread_names_no_lock():
    wait = Wait("T0", JOIN, waits_for="T1", place=at(13))
    assert with_names([wait], [lock_step("T1", "Lock 1", 9)]) == (wait,)


def test_a_stored_story_names_its_locks():
    steps = [
        {"thread": thread, "operation": "acquire", "variable": lock, "file": "m.py", "line": line}
        for thread, lock, line in (("T1", "Lock 1", 20), ("T2", "Lock 2", 24))
    ]
    wait = waits("T1", "Lock", "T2", 24, ("Lock", 20))
    found = {"kind": "deadlock", "steps": steps, "details": [str(wait)], "waits": [wait.as_json()]}
    (stored,) = stored_findings(contents(found))
    assert str(waits("T1", "Lock 2", "T2", 24, ("Lock 1", 20))) in stored.story


def test_a_story_stored_without_waits_keeps_its_lines():
    line = str(waits("T1", "Lock", "T2", 24, ("Lock", 20)))
    (stored,) = stored_findings(contents({"kind": "deadlock", "steps": [], "details": [line]}))
    assert line in stored.story
