"""Locks in the lines that say who waits for whom, called as the steps call them."""

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


def taken(thread, lock, line, kind="acquire"):
    return Event(thread, kind, lock, 0, "m.py", line)


def waits(thread, lock, holder, place, *held):
    own = tuple(Lock(name, at(line)) for name, line in held)
    return Wait(thread, ACQUIRE, lock, holder, at(place), at(50), own)


def test_by_holder_and_place():
    steps = [taken("T1", "Lock 3", 9), taken("T2", "Lock 1", 9), taken("T2", "RLock 1", 9)]
    assert with_names([waits("T1", "Lock", "T2", 9, ("Lock", 9))], steps) == (
        waits("T1", "Lock 1", "T2", 9, ("Lock 3", 9)),
    )


def test_what_was_released_is_not_meant():
    steps = [taken("T2", "Lock 1", 9), taken("T2", "Lock 1", 10, "release"), taken("T2", "Lock 2", 9)]
    steps += [taken("T1", "Lock 1", 7), taken("T3", "Lock 2", 8, "try-acquire")]  # T3 did not get it
    assert with_names([waits("T1", "Lock", "T2", 9, ("Lock", 7))], steps) == (
        waits("T1", "Lock 2", "T2", 9, ("Lock 1", 7)),
    )


def test_two_locks_of_one_line():
    """Which of them T1 waits for cannot be known; T2 holds them in the order in which it acquired them."""
    steps = [taken("T2", "Lock 2", 9), taken("T2", "Lock 1", 9)]
    both = [
        waits("T1", "Lock", "T2", 9, ("Lock", 30)),
        waits("T2", "Lock", "T1", 30, ("Lock", 9), ("Lock", 9)),
    ]
    assert with_names(both, steps) == (both[0], waits("T2", "Lock", "T1", 30, ("Lock 2", 9), ("Lock 1", 9)))


def test_a_condition_that_is_waited_for():
    wait = Wait("T1", WAIT, "Condition", place=at(28))
    steps = [taken("T1", "Condition 2", 28, "wait"), taken("T2", "Condition 1", 30, "notify")]
    assert [str(named) for named in with_names([wait], steps)] == [
        "T1 waits for a notification on Condition 2 at m.py:28"
    ]
    assert with_names([wait], steps[1:]) == (wait,)


def test_the_end_of_a_thread_is_no_lock():
    wait = Wait("T0", JOIN, waits_for="T1", place=at(13))
    assert with_names([wait], [taken("T1", "Lock 1", 9)]) == (wait,)


def test_a_stored_story():
    steps = [
        {"thread": thread, "operation": "acquire", "variable": lock, "file": "m.py", "line": line}
        for thread, lock, line in (("T1", "Lock 1", 20), ("T2", "Lock 2", 24))
    ]
    wait = waits("T1", "Lock", "T2", 24, ("Lock", 20))
    found = {"kind": "deadlock", "steps": steps, "details": [str(wait)], "waits": [wait.as_json()]}
    (one,) = stored_findings(contents(found))
    assert str(waits("T1", "Lock 2", "T2", 24, ("Lock 1", 20))) in one.story


def test_a_story_stored_before_waits_were_has_the_lines_as_they_are():
    line = str(waits("T1", "Lock", "T2", 24, ("Lock", 20)))
    (one,) = stored_findings(contents({"kind": "deadlock", "steps": [], "details": [line]}))
    assert line in one.story
